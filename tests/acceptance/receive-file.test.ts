import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import { type Stack, startStack } from '../../undock/src/runtime/stack/stack.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PUBLISHABLE = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'
const SECRET = 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'
const DAY_MS = 86_400_000
const INVALID = { status: 404, code: 'file_link_invalid' }

const Made = z.object({ id: z.guid(), token: z.string() })
type Made = z.infer<typeof Made>

let stack: Stack
let demo: SupabaseClient<Database>
let service: SupabaseClient<Database>
let library: string
let collection: string

beforeAll(async () => {
  stack = await startStack({ workdir: ROOT, ports: 'free', state: 'memory' })
  demo = createClient<Database>(stack.url, PUBLISHABLE, { auth: { persistSession: false } })
  service = createClient<Database>(stack.url, SECRET, { auth: { persistSession: false } })
  await demo.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
  library = (await demo.rpc('create_library', { name: 'Lamps' }).throwOnError()).data.id
  const made = await demo
    .from('collections')
    .insert({ library_id: library, name: 'Offers' })
    .select('id')
    .single()
    .throwOnError()
  collection = made.data.id
})
afterAll(() => stack?.stop())

async function request(
  limits: { most_files?: number; largest_bytes?: number; allowed_types?: string[] } = {},
): Promise<Made> {
  const wanted = {
    library,
    collection,
    title: 'Offers',
    expires_at: new Date(Date.now() + DAY_MS).toISOString(),
    ...limits,
  }
  return Made.parse((await demo.rpc('create_file_request', wanted).throwOnError()).data)
}

async function post(headers: Record<string, string>, body: BodyInit): Promise<{ status: number; code?: string }> {
  const response = await fetch(`${stack.url}/functions/v1/receive-file`, { method: 'POST', headers, body })
  const { code } = z.object({ code: z.string().optional() }).parse(await response.json())
  return { status: response.status, ...(code ? { code } : {}) }
}

const send = (token: string, name: string, content: BodyInit, about: object = {}) =>
  post({ 'X-File': Buffer.from(JSON.stringify({ token, name, sender: 'Eve', ...about })).toString('base64') }, content)
const look = (token: string) => post({ 'Content-Type': 'application/json' }, JSON.stringify({ token }))

async function arrived({ id }: Made) {
  const { data } = await demo
    .from('received_files')
    .select('*')
    .eq('request_id', id)
    .order('received_at')
    .throwOnError()
  return data
}

test('a received file is hidden until it is accepted, then becomes a document', async () => {
  const made = await request()
  const about = { address: 'eve@example.net', message: 'Zwei Lampen.\nViele Grüße' }
  expect(await send(made.token, 'Angebot.txt', 'Whale oil is expensive.', about)).toEqual({ status: 200 })
  const [file] = await arrived(made)
  expect(file).toMatchObject({
    sender_name: 'Eve',
    sender_address: about.address,
    message: about.message,
    state: 'waiting',
  })
  const documents = demo.from('documents').select('id, title, collection_id').eq('library_id', library)
  expect((await documents).data).toEqual([])
  await demo
    .from('received_files')
    .update({ state: 'taken' })
    .eq('id', file?.id ?? '')
    .throwOnError()
  expect((await documents).data).toEqual([{ id: file?.id, title: 'Angebot', collection_id: collection }])
  const { data: read } = await demo.functions.invoke('ingest', { body: { document_id: file?.id } })
  expect(read).toMatchObject({ state: 'ready', problem: null })
  const { data: found } = await demo.rpc('search_passages', { library, query: 'whale oil' }).throwOnError()
  expect(found).toMatchObject([{ document_id: file?.id }])
})

test('file names cannot be paths or hide their extension', async () => {
  const made = await request()
  for (const [index, name] of [
    '../../../etc/passwd',
    '..\\..\\boot.ini',
    `${library}/x/y.txt`,
    'a\u0000b\u202Etxt.exe',
    '/',
  ].entries()) {
    expect(await send(made.token, name, `Text ${index}`)).toEqual({ status: 200 })
  }
  expect(await send(made.token, '\u0000', 'Text')).toEqual({ status: 200 })
  const files = await arrived(made)
  expect(files.map(({ file_name }) => file_name)).toEqual([
    '..-..-..-etc-passwd',
    '..-..-boot.ini',
    `${library}-x-y.txt`,
    'a b txt.exe',
    '-',
    'file',
  ])
  for (const { id, path } of files) {
    expect(path).toMatch(new RegExp(`^${library}/${id}/[0-9a-f-]{36}/file(\\.[a-z0-9]+)?$`))
    expect((await service.storage.from('documents').download(path)).error).toBeNull()
  }
})

test('a file sent twice, even concurrently, arrives once', async () => {
  const made = await request({ most_files: 2 })
  const answers = await Promise.all([1, 2, 3].map(() => send(made.token, 'a.txt', 'The same words.')))
  expect(answers).toEqual(Array(3).fill({ status: 200 }))
  expect(await arrived(made)).toHaveLength(1)
  const { data: folders } = await service.storage.from('documents').list(library)
  const { data: rows } = await service.from('received_files').select('id').eq('library_id', library).throwOnError()
  expect(folders?.map(({ name }) => name).toSorted()).toEqual(rows.map(({ id }) => id).toSorted())
  const others = await Promise.all(['b', 'c', 'd'].map((text) => send(made.token, 'b.txt', text)))
  expect(others.map(({ status }) => status).toSorted()).toEqual([200, 404, 404])
  expect(await look(made.token)).toEqual(INVALID)
})

test('files are checked by content, not by what the sender states', async () => {
  const made = await request({ largest_bytes: 20, allowed_types: ['pdf', 'text'] })
  expect(await send(made.token, 'a.txt', 'x'.repeat(21))).toEqual({ status: 413, code: 'received_file_too_large' })
  const endless = new ReadableStream({
    pull: (stream) => stream.enqueue(new TextEncoder().encode('words '.repeat(1000))),
  })
  const streamed = fetch(`${stack.url}/functions/v1/receive-file`, {
    method: 'POST',
    headers: {
      'X-File': Buffer.from(JSON.stringify({ token: made.token, name: 'a.txt', sender: 'Eve' })).toString('base64'),
    },
    body: endless,
    ...{ duplex: 'half' },
  })
  // The rest isn't read: either there is a response, or the connection ends.
  expect(
    await streamed.then(
      ({ status }) => status,
      () => 413,
    ),
  ).toBe(413)
  expect(await send(made.token, 'a.csv', 'a,b')).toEqual({ status: 415, code: 'received_file_type' })
  expect(await send(made.token, 'a.pdf', 'no PDF')).toEqual({ status: 422, code: 'file_misnamed_text' })
  expect(await send(made.token, 'a.txt', '%PDF-1.7')).toEqual({ status: 422, code: 'file_misnamed' })
  expect(await send(made.token, 'a.txt', '')).toEqual({ status: 422, code: 'file_empty' })
  expect(await send(made.token, 'a.txt', 'Words.', { sender: ' \u202E ' })).toEqual({
    status: 400,
    code: 'request_invalid',
  })
  expect(await arrived(made)).toEqual([])
})

test('invalid links all get the same response, whatever is sent', async () => {
  const [expired, closed, full] = [await request(), await request(), await request({ most_files: 1 })]
  const past = {
    created_at: new Date(Date.now() - 2 * DAY_MS).toISOString(),
    expires_at: new Date(Date.now() - 1000).toISOString(),
  }
  await service.from('file_requests').update(past).eq('id', expired.id).throwOnError()
  await demo.from('file_requests').update({ closed_at: new Date().toISOString() }).eq('id', closed.id).throwOnError()
  await send(full.token, 'a.txt', 'Words.')
  for (const token of [expired.token, closed.token, full.token, randomUUID(), '', '\u0000']) {
    expect(await look(token)).toEqual(INVALID)
    expect(await send(token, 'b.txt', 'More words.')).toEqual(INVALID)
    expect(await send(token, 'b.pdf', '')).toEqual(INVALID)
  }
  expect(await post({ 'X-File': 'no JSON' }, 'x')).toEqual(INVALID)
})

test('the number of files per hour is limited', async () => {
  const made = await request()
  const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000).toISOString()
  const { Client } = await import('pg')
  const database = new Client({ connectionString: stack.dbUrl })
  await database.connect()
  await database.query('insert into private.sending_attempts values ($1, $2, 200)', [`to ${made.id}`, hour])
  await database.end()
  expect(await send(made.token, 'a.txt', 'Words.')).toEqual({ status: 429, code: 'file_request_busy' })
})
