import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { createClient, type FunctionsHttpError, type SupabaseClient } from '@supabase/supabase-js'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../types/database.ts'
import { type Stack, startStack } from '../../undock/src/runtime/stack.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const READING_ROOM = 'de300000-0000-4000-8000-000000000010'
const PUBLISHABLE_KEY = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'

let stack: Stack
let demo: SupabaseClient<Database>

beforeAll(async () => {
  stack = await startStack({ workdir: ROOT, ports: 'free', state: 'memory' })
  demo = createClient<Database>(stack.url, PUBLISHABLE_KEY, { auth: { persistSession: false } })
  await demo.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
})
afterAll(() => stack?.stop())

/** Uploads and registers a fixture as the app does. */
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
      .select('state, progress, mime_type, page_count, state_message')
      .eq('id', id)
      .single()
      .throwOnError()
  ).data

test('a PDF is read page by page, reported on the channel, and found by search', async () => {
  await demo.realtime.setAuth()
  const states: string[] = []
  const channel = demo
    .channel(`library:${READING_ROOM}`, { config: { private: true } })
    .on('broadcast', { event: 'ingest' }, ({ payload }) => states.push(payload.state))
  await new Promise((resolve) => channel.subscribe((status) => status === 'SUBSCRIBED' && resolve(status)))

  const document = await addFile('reading-room.pdf')
  const { data } = await ingest(document)

  expect(data).toMatchObject({ document_id: document, state: 'ready', pages: 20, message: null })
  expect(await documentRow(document)).toEqual({
    state: 'ready',
    progress: 100,
    mime_type: 'application/pdf',
    page_count: 20,
    state_message: null,
  })
  await expect.poll(() => states.at(-1)).toBe('ready')
  expect(states).toContain('extracting')
  const { data: hits } = await demo
    .rpc('search_passages', { library: READING_ROOM, query: 'Augustin Fresnel', filters: { document } })
    .throwOnError()
  expect(hits?.[0]).toMatchObject({
    document_id: document,
    heading: 'Making the beam',
    matched: ['Augustin', 'Fresnel'],
  })
  await demo.removeChannel(channel)
})

test('reading a document again keeps the passages and their ids', async () => {
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
  ['encrypted.pdf', /protected with a password/],
  ['damaged.pdf', /damaged/],
  ['pictures-only.pdf', /text recognition/],
  ['lying.pdf', /calls itself a PDF/],
  ['empty.txt', /empty/],
])('%s fails with what to do, and the file stays', async (name, message) => {
  const document = await addFile(name)
  const { data } = await ingest(document)
  expect(data).toMatchObject({ state: 'failed', passages: 0, message: expect.stringMatching(message) })
  expect(await documentRow(document)).toMatchObject({ state: 'failed', state_message: expect.stringMatching(message) })
})

test('a user who may not edit the document gets 404', async () => {
  const refusal = (await ingest(randomUUID())).error as FunctionsHttpError
  expect(refusal.context.status).toBe(404)
})

test('without a language model the database computes the vectors', async () => {
  const { data } = await demo.functions.invoke('embed', { body: { text: 'lens' } })
  expect(['lexical-384-v1', 'gte-small']).toContain(data.model)
})

test('a report that comes while the passages are stored waits, and neither ends in a deadlock', async () => {
  const document = await addFile('paper.txt')
  await ingest(document)
  const [storing, reporting] = [new pg.Client(stack.dbUrl), new pg.Client(stack.dbUrl)]
  await Promise.all([storing.connect(), reporting.connect()])
  try {
    const { rows } = await storing.query('select current_version_id as version from documents where id = $1', [
      document,
    ])
    await storing.query('insert into private.ingestion_runs values ($1, now())', [document])
    await storing.query('begin')
    await storing.query('select from documents where id = $1 for no key update', [document])
    const report = reporting.query("select report_ingestion($1, 'ready')", [rows[0].version])
    const waiting =
      "select from pg_stat_activity where wait_event_type = 'Lock' and query like 'select report_ingestion%'"
    await expect.poll(async () => (await storing.query(waiting)).rowCount).toBe(1)
    await storing.query('delete from private.ingestion_runs where document_id = $1', [document])
    await storing.query('commit')
    await report
  } finally {
    await Promise.all([storing.end(), reporting.end()])
  }
})
