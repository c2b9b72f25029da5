import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { createClient } from '@supabase/supabase-js'
import { strToU8, zipSync } from 'fflate'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayRange } from '../../src/domain/day-range.ts'
import type { DocumentFilter } from '../../src/domain/document-filter.ts'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import {
  INCLUDED_SCOPES,
  MAX_FILE,
  MAX_LENGTH,
  MAX_NOTE,
  MENTION,
  SCOPES,
} from '../../supabase/functions/_shared/facts.ts'
import { FILE_KINDS, OTHER_KIND } from '../../supabase/functions/_shared/file-kinds.ts'
import { TEXTS } from '../../supabase/functions/notify/texts-of-mail.ts'
import { type Stack, startStack } from '../../undock/src/runtime/stack/stack.ts'
import { WORDS } from '../support/file-kinds.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFile(`${ROOT}${path}`, 'utf8')

const PUBLISHABLE = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'
const BYTES = OTHER_KIND.mediaType
/** File names and contents; each text has its own word. */
const OTHERS: Readonly<Record<string, readonly [string | Uint8Array, string]>> = {
  'archive.zip': [zipSync({ 'a.txt': strToU8('archiveword') }), BYTES],
  'letter.pub': [Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0]), BYTES],
  'drawing.svg': ['<svg><text>drawingword</text></svg>', BYTES],
  'noise.xyz': [strToU8('noiseword\0\u0001'), BYTES],
  'clip.mp4': [strToU8('\0\0\0\u0018ftypmp42'), 'video/mp4'],
  'module.py': ['moduleword = 1', 'text/plain'],
  'settings.json': ['{"a": "settingsword"}', 'text/plain'],
  'house.style': ['houseword: blue', 'text/plain'],
}

let stack: Stack
let database: pg.Client

beforeAll(async () => {
  stack = await startStack({ workdir: ROOT, ports: 'free', state: 'memory' })
  database = new pg.Client(stack.dbUrl)
  await database.connect()
})
afterAll(async () => {
  await database?.end()
  await stack?.stop()
})

test('the storage bucket accepts the media types of the table', async () => {
  const { rows } = await database.query(
    `select allowed_mime_types as types from storage.buckets where id = 'documents'`,
  )
  expect(rows[0].types.toSorted()).toEqual([...new Set(FILE_KINDS.map(({ mediaType }) => mediaType))].toSorted())
})

test('rules and filters in SQL know the types of the table', async () => {
  for (const type of new Set(FILE_KINDS.map((kind) => kind.type))) {
    const { rows } = await database.query('select private.type_patterns($1) as patterns', [type])
    const patterns = FILE_KINDS.filter((kind) => kind.type === type).map(({ mediaType }) => `${mediaType}%`)
    expect(rows[0].patterns?.toSorted(), type).toEqual([...new Set(patterns)].toSorted())
  }
})

test('the database checks the same limits and scopes', async () => {
  /** Whether the checks of a column accept a value, with nothing in most others. */
  const passes = async (table: string, column: string, value: unknown): Promise<boolean> => {
    const { rows: checks } = await database.query(
      `select string_agg(pg_get_expr(c.conbin, c.conrelid), ' and ') as all from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid
       where c.contype = 'c' and c.conrelid = $1::regclass and a.attname = $2 and a.attnum = any (c.conkey)`,
      [`public.${table}`, column],
    )
    const { rows } = await database.query(
      `select (${checks[0].all}) is not false as pass from jsonb_populate_record(null::public.${table}, $1)`,
      [{ ...(table === 'field_values' ? { kind: 'text' } : {}), [column]: value }],
    )
    return rows[0].pass
  }
  for (const [name, most] of Object.entries(MAX_LENGTH)) {
    const [table = '', column = ''] = name.split('.')
    const begun = column === 'url' ? 'https://example.org/' : ''
    expect(await passes(table, column, begun.padEnd(most, 'x')), name).toBe(true)
    expect(await passes(table, column, begun.padEnd(most + 1, 'x')), name).toBe(false)
  }
  expect(await passes('versions', 'body', 'x'.repeat(MAX_NOTE))).toBe(true)
  expect(await passes('versions', 'body', 'x'.repeat(MAX_NOTE + 1))).toBe(false)
  expect(await passes('versions', 'size_bytes', MAX_FILE)).toBe(true)
  expect(await passes('versions', 'size_bytes', MAX_FILE + 1)).toBe(false)
  const { rows: buckets } = await database.query(`select file_size_limit from storage.buckets where id = 'documents'`)
  expect(Number(buckets[0].file_size_limit)).toBe(MAX_FILE)
  const isKept = (scopes: readonly string[]) => passes('api_keys', 'scopes', scopes)
  expect([await isKept(SCOPES), await isKept(['everything'])]).toEqual([true, false])
  for (const scope of SCOPES) {
    const included = INCLUDED_SCOPES[scope] ?? []
    expect(await isKept([scope, ...included]), scope).toBe(true)
    expect(await isKept([scope]), scope).toBe(included.length === 0)
  }
})

test('the database understands each filter of the app', async () => {
  const id = randomUUID()
  const samples: Record<keyof DocumentFilter, unknown> = {
    collection: id,
    tag: id,
    kind: 'note',
    type: 'pdf',
    person: id,
    since: '2026-02',
    until: '2026',
    title: 'lamp',
    author: 'Ada',
    dated: '2019..2021',
    verified: 'due',
    state: 'failed',
    fields: [{ fields: [id], words: 'lamp' }],
  }
  for (const [key, value] of Object.entries(samples)) {
    const { rows } = await database.query('select private.passage_filters($1) as filters', [
      { saved: { [key]: value } },
    ])
    expect(rows[0].filters, key).not.toEqual({})
  }
})

test('the database reads the same days from dates and ranges', async () => {
  const texts = [
    '2026',
    '2026-02',
    '2024-02',
    '2026-02-28',
    '2019..2021-06',
    '2019..',
    '..2021-06-30',
    '2026-13',
    '2026-02-30',
    '26',
    '..',
    '',
  ]
  const { rows } = await database.query(
    `select first::text as "from", last::text as "to" from unnest($1::text[]) with ordinality as t (dated, n)
     left join lateral private.day_range(dated) on true order by n`,
    [texts],
  )
  const none = { from: undefined, to: undefined }
  expect(rows.map(({ from, to }) => ({ from: from ?? undefined, to: to ?? undefined }))).toEqual(
    texts.map((text) => dayRange(text) ?? none),
  )
})

test('the database finds the same mentions', async () => {
  const [ada, ben] = [randomUUID(), randomUUID()]
  const text = `@[Ada](${ada}) and @[Ben B.](${ben}), @[](${ada}), @[a]b](${ada}), @[x](${ada.toUpperCase()}), @[${'x'.repeat(81)}](${ada})`
  const { rows } = await database.query('select private.mentioned_people($1) as person', [text])
  const found = [...text.matchAll(MENTION)].map(([, , id]) => id)
  expect(found).toEqual([ada, ben])
  expect(rows.map(({ person }) => person).toSorted()).toEqual(found.toSorted())
})

test('emails have texts for every notification with a setting', async () => {
  const { rows } = await database.query(
    `select kind from unnest(enum_range(null::public.notification_kind)) kind where private.frequency_of(kind, null) <> 'never'`,
  )
  expect(rows.map(({ kind }) => kind).toSorted()).toEqual(Object.keys(TEXTS.en.says).toSorted())
})

test('other apps can share any file with the installed app', async () => {
  const { share_target } = JSON.parse(await read('public/manifest.webmanifest'))
  expect(share_target.params.files[0].accept).toEqual(['*/*'])
})

test('the documentation includes the table', async () => {
  const rows = FILE_KINDS.map(
    ({ endings, mediaType, read: reader, show, search }) =>
      `| ${endings.join(', ')} | \`${mediaType}\` | ${reader} | ${show} | ${search} |`,
  )
  expect(await read('docs/carrel.md')).toContain(rows.join('\n'))
})

test('any other file is stored or read as text, and found by its name', async () => {
  const demo = createClient<Database>(stack.url, PUBLISHABLE, { auth: { persistSession: false } })
  await demo.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
  const { data: library } = await demo.rpc('create_library', { name: 'Any' }).throwOnError()
  for (const [file_name, [content, type]] of Object.entries(OTHERS)) {
    const document = randomUUID()
    const path = `${library.id}/${document}/${randomUUID()}/file`
    const stored = await demo.storage.from('documents').upload(path, content, { contentType: OTHER_KIND.mediaType })
    expect(stored.error).toBeNull()
    await demo.rpc('add_file', { library: library.id, document, path, file_name }).throwOnError()
    const { data } = await demo.functions.invoke('ingest', { body: { document_id: document } })
    expect(data, file_name).toMatchObject({ state: 'ready', problem: null })
    const { data: found } = await demo.rpc('find_documents', { library: library.id, query: file_name }).throwOnError()
    expect(found).toMatchObject([{ document_id: document, mime_type: type }])
    const hits = async (query: string) => {
      const { data } = await demo.rpc('search_passages', { library: library.id, query }).throwOnError()
      return data.map(({ document_id }) => document_id)
    }
    const stem = file_name.split('.')[0]
    expect(await hits(`${stem}word`), file_name).toEqual(type === 'text/plain' ? [document] : [])
    if (type !== 'text/plain') expect(await hits(file_name), file_name).toEqual([document])
  }
  const svg = await demo.storage.from('documents').upload(`${library.id}/${randomUUID()}/x/file`, '<svg/>', {
    contentType: 'image/svg+xml',
  })
  expect(svg.error?.message).toMatch(/mime type image\/svg\+xml is not supported/)
})

test('every readable kind has a fixture', async () => {
  const files = await readdir(`${ROOT}tests/fixtures/kinds`)
  const endings = FILE_KINDS.filter((kind) => kind.read !== 'none')
    .map(({ endings: [ending] }) => ending)
    .toSorted()
  expect(Object.keys(WORDS).toSorted()).toEqual(endings)
  expect(files.toSorted()).toEqual(endings.map((ending) => `sample.${ending}`))
})
