import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { createClient, type FunctionsHttpError, type SupabaseClient } from '@supabase/supabase-js'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import type { SearchAnswer } from '../../supabase/functions/_shared/hit.ts'
import { type Stack, startStack } from '../../undock/src/runtime/stack/stack.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const READING_ROOM = 'de300000-0000-4000-8000-000000000010'
const POLL = { timeout: 50_000, interval: 250 }
const SECRET_KEY = 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'
const PUBLISHABLE_KEY = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'

let stack: Stack
let demo: SupabaseClient<Database>

beforeAll(async () => {
  stack = await startStack({ workdir: ROOT, ports: 'free', state: 'memory' })
  demo = createClient<Database>(stack.url, PUBLISHABLE_KEY, { auth: { persistSession: false } })
  await demo.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
})
afterAll(() => stack?.stop())

async function addFile(name: string): Promise<string> {
  const document = randomUUID()
  const path = `${READING_ROOM}/${document}/${randomUUID()}/${name}`
  const bytes = await readFile(new URL(`../fixtures/${name}`, import.meta.url))
  const { error } = await demo.storage
    .from('documents')
    .upload(path, bytes, { contentType: 'application/octet-stream' })
  expect(error).toBeNull()
  await demo.rpc('add_file', { library: READING_ROOM, document, path, file_name: name }).throwOnError()
  return document
}

const ingest = (document_id: string) => demo.functions.invoke('ingest', { body: { document_id } })

const documentRow = async (id: string) =>
  (
    await demo
      .from('documents')
      .select('state, progress, mime_type, page_count, problem')
      .eq('id', id)
      .single()
      .throwOnError()
  ).data

test('a PDF is read page by page, with progress on the channel, and found by search', async () => {
  await demo.realtime.setAuth()
  const states: string[] = []
  const { data: current } = await demo
    .from('library_channels')
    .select('epoch')
    .eq('library_id', READING_ROOM)
    .single()
    .throwOnError()
  const channel = demo
    .channel(`library:${READING_ROOM}:${current.epoch}`, { config: { private: true } })
    .on('broadcast', { event: 'ingest' }, ({ payload }) => states.push(payload.state))
  await new Promise((resolve) => channel.subscribe((status) => status === 'SUBSCRIBED' && resolve(status)))

  const document = await addFile('reading-room.pdf')
  const { data } = await ingest(document)

  expect(data).toMatchObject({ document_id: document, state: 'ready', pages: 20, problem: null })
  expect(await documentRow(document)).toEqual({
    state: 'ready',
    progress: 100,
    mime_type: 'application/pdf',
    page_count: 20,
    problem: null,
  })
  await expect.poll(() => states.at(-1)).toBe('ready')
  expect(states).toContain('extracting')
  const { data: hits } = await demo
    .rpc('search_passages', { library: READING_ROOM, query: 'Augustin Fresnel', filters: { document } })
    .throwOnError()
  expect(hits?.[0]).toMatchObject({
    document_id: document,
    heading: 'How a lighthouse works › Making the beam',
    matched: ['Augustin', 'Fresnel'],
  })
  await demo.removeChannel(channel)
})

test('reading a document again keeps its passages and their ids', async () => {
  const document = await addFile('lighthouse.md')
  const ids = async () =>
    (await demo.from('passages').select('id').eq('document_id', document).order('ordinal').throwOnError()).data.map(
      ({ id }) => id,
    )
  await ingest(document)
  const first = await ids()
  await ingest(document)
  expect(first.length).toBeGreaterThan(3)
  expect(await ids()).toEqual(first)
})

test.each([
  ['encrypted.pdf', 'pdf_protected'],
  ['damaged.pdf', 'pdf_damaged'],
  ['pictures-only.pdf', 'pdf_without_text'],
  ['lying.pdf', 'file_misnamed'],
  ['empty.txt', 'file_empty'],
])('%s fails with advice, and the file is kept', async (name, code) => {
  const document = await addFile(name)
  const { data } = await ingest(document)
  const problem = { code, message: expect.stringMatching(/\./) }
  expect(data).toMatchObject({ state: 'failed', passages: 0, problem })
  expect(await documentRow(document)).toMatchObject({ state: 'failed', problem })
})

test('a document whose stored file is missing says so', async () => {
  const document = await addFile('paper.txt')
  await ingest(document)
  const { data } = await demo
    .from('versions')
    .select('storage_path')
    .eq('document_id', document)
    .single()
    .throwOnError()
  const project = createClient<Database>(stack.url, SECRET_KEY, { auth: { persistSession: false } })
  await project.storage.from('documents').remove([data.storage_path ?? ''])
  const { data: outcome } = await ingest(document)
  expect(outcome).toMatchObject({ state: 'failed', problem: { code: 'stored_file_gone' } })
})

test('users without edit access to the document get 404', async () => {
  const refusal = (await ingest(randomUUID())).error as FunctionsHttpError
  expect(refusal.context.status).toBe(404)
})

test("search by the function includes the database's results and reports whether it used embeddings", async () => {
  const search = { library: READING_ROOM, query: 'Augustin Fresnel', filters: { kinds: ['note'] } }
  const { data: hits } = await demo.rpc('search_passages', search).throwOnError()
  expect(hits).not.toEqual([])
  const { data } = await demo.functions.invoke<SearchAnswer>('search', { body: search })
  expect(data?.hits.map(({ passage_id }) => passage_id)).toEqual(
    expect.arrayContaining(hits.map(({ passage_id }) => passage_id)),
  )
  expect(data?.by_meaning).toEqual(expect.any(Boolean))
})

test.each([
  ['without a session', false, {}, 403, 'not_allowed'],
  ['with an invalid condition', true, { fields: [{ fields: [] }] }, 400, 'field_condition_invalid'],
  ['with an invalid id', true, { collection: 'lamps' }, 400, 'not_accepted'],
])('a search by the function %s is rejected with the reason', async (_how, isSignedIn, filters, status, code) => {
  const caller = isSignedIn
    ? demo
    : createClient<Database>(stack.url, PUBLISHABLE_KEY, { auth: { persistSession: false } })
  const { error } = await caller.functions.invoke('search', { body: { library: READING_ROOM, query: 'lamp', filters } })
  const { context } = error as FunctionsHttpError
  expect(context.status).toBe(status)
  expect(await context.json()).toMatchObject({ code })
})

test("title, date, language and contents come from the file, but a user's title is kept", async () => {
  const about = async (id: string) =>
    (
      await demo
        .from('documents')
        .select('title, dated, version:versions!documents_current_version_id_fkey(outline), passages(language)')
        .eq('id', id)
        .limit(1, { referencedTable: 'passages' })
        .single()
        .throwOnError()
    ).data
  const [named, unnamed] = [await addFile('reading-room.pdf'), await addFile('lighthouse.md')]
  await demo.from('documents').update({ title: 'Essays' }).eq('id', named).throwOnError()
  await ingest(named)
  await ingest(unnamed)
  expect(await about(named)).toMatchObject({ title: 'Essays', dated: '2026-11-01', passages: [{ language: 'en' }] })
  expect(await about(unnamed)).toMatchObject({
    title: 'Lighthouses',
    version: { outline: expect.arrayContaining([{ title: 'Making the beam', level: 2, page: null }]) },
  })
})

test('documents are read automatically, in the order they were added', async () => {
  const documents = [await addFile('paper.txt'), await addFile('lighthouse.md'), await addFile('reading-room.pdf')]
  for (const document of documents)
    await expect.poll(() => documentRow(document), POLL).toMatchObject({ state: 'ready' })
  const { data } = await demo.rpc('indexing_progress', { library: READING_ROOM }).single().throwOnError()
  expect(data).toMatchObject({ waiting: 0, running: 0, problem: null })
})

test('long documents are found by the words of a field automatically', async () => {
  const { data: collection } = await demo
    .from('collections')
    .insert({ library_id: READING_ROOM, name: 'Balloons' })
    .select('id')
    .single()
    .throwOnError()
  const field = { collection: collection.id, field: null as unknown as string, name: 'Maker' }
  const { data: maker } = await demo.rpc('save_field', field).throwOnError()
  const documents = await Promise.all(Array.from({ length: 4 }, () => addFile('reading-room.pdf')))
  await demo.from('documents').update({ collection_id: collection.id }).in('id', documents).throwOnError()
  for (const document of documents) await ingest(document)
  await demo.rpc('set_field_value', { documents, field: maker.id, value: 'Montgolfier' }).throwOnError()
  const found = async () => {
    const { data } = await demo
      .rpc('search_passages', { library: READING_ROOM, query: 'montgolfier', correct: false })
      .throwOnError()
    return new Set(data.map(({ document_id }) => document_id)).size
  }
  await expect.poll(found, POLL).toBe(4)
})

test('many documents added together are all read', async () => {
  const client = new pg.Client(stack.dbUrl)
  await client.connect()
  try {
    await client.query(
      `with added as (
        insert into documents (library_id, kind, title) select $1, 'note', 'Note ' || n from generate_series(1, 80) n returning id, title
      ) insert into versions (library_id, document_id, body, mime_type, size_bytes)
        select $1, id, title || ' speaks of lamps.', '', 0 from added`,
      [READING_ROOM],
    )
  } finally {
    await client.end()
  }
  const waiting = async () =>
    (await demo.rpc('indexing_progress', { library: READING_ROOM }).single().throwOnError()).data
  await expect.poll(waiting, POLL).toMatchObject({ waiting: 0, running: 0 })
})

test('a note changed while it is read is read again', async () => {
  const { data: note } = await demo
    .rpc('add_note', { library: READING_ROOM, title: 'Swift', body: 'One.' })
    .throwOnError()
  await demo
    .rpc('save_note', {
      document: note.id,
      body: 'The second text is about a harbour pilot.',
      based_on: note.current_version_id ?? '',
    })
    .throwOnError()
  const words = async () => {
    const { data } = await demo.from('passages').select('content').eq('document_id', note.id).throwOnError()
    return data.map(({ content }) => content)
  }
  await expect.poll(words, POLL).toEqual(['The second text is about a harbour pilot.'])
})

test("a call without the database's key reads nothing", async () => {
  const { error } = await demo.functions.invoke('ingest', { body: {}, headers: { 'x-database-key': 'guessed' } })
  expect((error as FunctionsHttpError).context.status).toBe(401)
})

test('attachments of an email become documents once, even if it is read again', async () => {
  const { data: collection } = await demo
    .from('collections')
    .insert({ library_id: READING_ROOM, name: 'Letters' })
    .select('id')
    .single()
    .throwOnError()
  const inner = ['From: Ben <ben@example.org>', 'Subject: Older', '', 'Bring oil.'].join('\r\n')
  const part = (headers: string, content: string) => `--x\r\n${headers}\r\n\r\n${content}\r\n`
  const mail = [
    'From: Ada <ada@example.org>\r\nSubject: Wicks\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n',
    part('Content-Type: text/plain', 'The wicks are here.'),
    part(
      'Content-Type: text/plain; name=prices.txt\r\nContent-Disposition: attachment; filename=prices.txt',
      'A wickword costs two pence.',
    ),
    part('Content-Type: message/rfc822\r\nContent-Disposition: attachment; filename=older.eml', inner),
    part('Content-Type: image/png; name=logo.png\r\nContent-Disposition: inline; filename=logo.png', 'PNG'),
    '--x--\r\n',
  ].join('')
  const document = randomUUID()
  const path = `${READING_ROOM}/${document}/${randomUUID()}/wicks.eml`
  const { error } = await demo.storage.from('documents').upload(path, mail, { contentType: 'application/octet-stream' })
  expect(error).toBeNull()
  await demo
    .rpc('add_file', { library: READING_ROOM, document, path, file_name: 'wicks.eml', collection: collection.id })
    .throwOnError()
  const inCollection = async () => {
    const { data } = await demo
      .from('documents')
      .select('id, created_by, version:versions!documents_current_version_id_fkey(file_name)')
      .eq('collection_id', collection.id)
      .throwOnError()
    return new Map(data.map(({ version, ...row }) => [version?.file_name, row]))
  }
  expect((await ingest(document)).data).toMatchObject({ state: 'ready', problem: null })
  const { data: me } = await demo.auth.getUser()
  const beside = await inCollection()
  expect([...beside.keys()].toSorted()).toEqual(['older.eml', 'prices.txt', 'wicks.eml'])
  expect(new Set([...beside.values()].map(({ created_by }) => created_by))).toEqual(new Set([me.user?.id]))
  const [nested, prices] = [beside.get('older.eml'), beside.get('prices.txt')]
  await ingest(prices?.id ?? '')
  const { data: hits } = await demo.rpc('search_passages', { library: READING_ROOM, query: 'wickword' }).throwOnError()
  expect(hits.map(({ document_id }) => document_id)).toEqual([prices?.id])
  const { data: version } = await demo
    .from('versions')
    .select('rendition_path')
    .eq('document_id', document)
    .single()
    .throwOnError()
  const { data: rendition } = await demo.storage.from('documents').download(version.rendition_path ?? '')
  expect(await rendition?.text()).toContain(
    `Attachments: <a href="/l/${READING_ROOM}/d/${prices?.id}">prices.txt</a>, <a href="/l/${READING_ROOM}/d/${nested?.id}">older.eml</a>`,
  )

  // A deleted attachment doesn't come back.
  await demo
    .from('documents')
    .update({ deleted_at: new Date().toISOString() })
    .eq('id', nested?.id ?? '')
    .throwOnError()
  await demo
    .from('documents')
    .delete()
    .eq('id', nested?.id ?? '')
    .throwOnError()
  await ingest(document)
  await ingest(document)
  expect([...(await inCollection()).keys()].toSorted()).toEqual(['prices.txt', 'wicks.eml'])
})
