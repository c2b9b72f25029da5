import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FILE_KINDS, patternsOf } from '../../supabase/functions/_shared/file-kinds.ts'
import { type Stack, startStack } from '../../undock/src/runtime/stack/stack.ts'
import { WORDS } from '../support/file-kinds.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFile(`${ROOT}${path}`, 'utf8')

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

test('the bucket takes the media types of the table, and bytes of no type', async () => {
  const { rows } = await database.query(
    `select allowed_mime_types as types from storage.buckets where id = 'documents'`,
  )
  const wanted = [...FILE_KINDS.map(({ mediaType }) => mediaType), 'application/octet-stream']
  expect(rows[0].types.toSorted()).toEqual(wanted.toSorted())
})

test('rules and filters in SQL know the types of the table', async () => {
  for (const type of new Set(FILE_KINDS.map((kind) => kind.type))) {
    const { rows } = await database.query('select private.type_patterns($1) as patterns', [type])
    expect(rows[0].patterns?.toSorted(), type).toEqual(patternsOf(type).toSorted())
  }
})

test('other apps may share every kind of file with the installed app', async () => {
  const { share_target } = JSON.parse(await read('public/manifest.webmanifest'))
  const { accept } = share_target.params.files[0]
  const covered = ({ mediaType }: { mediaType: string }) =>
    accept.includes(mediaType) || accept.includes(mediaType.replace(/\/.*/, '/*'))
  expect(FILE_KINDS.filter((kind) => !covered(kind))).toEqual([])
})

test('the documentation has the table', async () => {
  const rows = FILE_KINDS.map(
    ({ endings, mediaType, read: reader, show, search }) =>
      `| ${endings.join(', ')} | \`${mediaType}\` | ${reader} | ${show} | ${search} |`,
  )
  expect(await read('docs/carrel.md')).toContain(rows.join('\n'))
})

test('there is a fixture of every kind', async () => {
  const files = await readdir(`${ROOT}tests/fixtures/kinds`)
  const endings = FILE_KINDS.map(({ endings: [ending] }) => ending).toSorted()
  expect(Object.keys(WORDS).toSorted()).toEqual(endings)
  expect(files.toSorted()).toEqual(endings.map((ending) => `sample.${ending}`))
})
