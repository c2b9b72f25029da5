// Concurrent changes of a document during indexing: the second waits, and neither fails.
import { fileURLToPath } from 'node:url'
import { createClient } from '@supabase/supabase-js'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import { type Stack, startStack } from '../../undock/src/runtime/stack/stack.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PUBLISHABLE_KEY = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'

let stack: Stack
let demo: ReturnType<typeof createClient<Database>>
let first: pg.Client
let second: pg.Client

beforeAll(async () => {
  stack = await startStack({ workdir: ROOT, ports: 'free', state: 'memory' })
  demo = createClient<Database>(stack.url, PUBLISHABLE_KEY, { auth: { persistSession: false } })
  await demo.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
  first = new pg.Client(stack.dbUrl)
  second = new pg.Client(stack.dbUrl)
  await Promise.all([first.connect(), second.connect()])
})
afterAll(async () => {
  await first?.end()
  await second?.end()
  await stack?.stop()
})

async function addIndexedNote() {
  const { data: library } = await demo.rpc('create_library', { name: 'Locks' }).throwOnError()
  const { data: note } = await demo
    .rpc('add_note', { library: library.id, title: 'Locks', body: 'One.' })
    .throwOnError()
  const { rows } = await first.query(
    `select public.replace_passages($1, '[{"start":0,"end":1,"content":"lamp oil"},{"start":1,"end":2,"content":"lens"},{"start":2,"end":3,"content":"fog horn"}]') as stored`,
    [note.current_version_id],
  )
  expect(rows).toEqual([{ stored: 3 }])
  return { library: library.id, document: note.id, version: note.current_version_id ?? '' }
}

test('a library deleted during indexing is deleted afterwards, with its vocabulary', async () => {
  const { library, document } = await addIndexedNote()
  await first.query('begin')
  await first.query('select from public.documents where id = $1 for no key update', [document])
  const deletion = second.query('delete from public.libraries where id = $1', [library])
  await first.query('select private.unindex_document($1)', [document])
  await first.query('select private.index_document($1)', [document])
  await first.query('commit')
  await deletion
  const { rows } = await first.query(
    `select (select count(*) from public.passages where library_id = $1)::integer as passages,
       (select count(*) from private.library_vocabulary where library_id = $1)::integer as words`,
    [library],
  )
  expect(rows).toEqual([{ passages: 0, words: 0 }])
})

test.each([
  ['a library', 'delete from public.libraries where id = $1'],
  ['an account', 'delete from auth.users where id = (select created_by from public.libraries where id = $1)'],
])('%s deleted during an indexing run is deleted afterwards, and the run goes on', async (_, deletion) => {
  const { rows: people } = await first.query<{ id: string }>(
    `insert into auth.users (id, aud, role, email)
       values (gen_random_uuid(), 'authenticated', 'authenticated', gen_random_uuid() || '@example.org') returning id`,
  )
  const claims = JSON.stringify({ sub: people[0]?.id, role: 'authenticated' })
  await first.query('begin')
  await first.query(`select set_config('request.jwt.claims', $1, true)`, [claims])
  const { rows } = await first.query<{ library: string; document: string }>(
    `select l.id as library, (public.add_note(l.id, 'Locks', 'One.')).id as document from public.create_library('Locks') l`,
  )
  const { library, document } = rows[0] ?? {}
  await first.query('commit')

  await first.query('begin')
  await first.query('select private.queue_documents(array[$1::uuid], 0::smallint, false)', [document])
  await first.query('select private.hold_run(run) from public.take_document($1)', [document])
  const { rows: backends } = await second.query('select pg_backend_pid() as pid')
  const deleted = second.query(deletion, [library])
  await expect
    .poll(async () => (await first.query('select pg_blocking_pids($1) as pids', [backends[0]?.pid])).rows[0].pids)
    .toHaveLength(1)
  await first.query(
    `insert into public.comments (library_id, document_id, body, created_by)
       select library_id, id, 'Read.', created_by from public.documents where id = $1`,
    [document],
  )
  await first.query('commit')
  await deleted
  expect((await first.query('select from public.libraries where id = $1', [library])).rowCount).toBe(0)
})

test("indexing waits while the document's passages are replaced", async () => {
  const { document } = await addIndexedNote()
  await first.query('select private.unindex_document($1)', [document])
  await first.query('begin')
  await first.query('select from public.documents where id = $1 for no key update', [document])
  await first.query('delete from public.passages where document_id = $1 and ordinal = 0', [document])
  const indexing = second.query('select private.index_document($1)', [document])
  await first.query('commit')
  await indexing
  const { rows } = await first.query(
    'select count(*)::integer as passages from private.passage_terms where document_id = $1',
    [document],
  )
  expect(rows).toEqual([{ passages: 2 }])
})

test('concurrent browsers lease different scans without waiting for each other', async () => {
  const scans = [await addIndexedNote(), await addIndexedNote()]
  for (const { version } of scans) await first.query(`select public.store_pages_without_text($1, '{1}')`, [version])
  const { data } = await demo.auth.getUser()
  const lease = async (browser: pg.Client, session: string) => {
    await browser.query('begin')
    const claims = { sub: data.user?.id, role: 'authenticated', session_id: session }
    await browser.query(
      `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
      [JSON.stringify(claims)],
    )
    return (await browser.query('select document_id from public.next_scan()')).rows
  }
  const one = await lease(first, 'de300000-0000-4000-8000-0000000000a1')
  const other = await lease(second, 'de300000-0000-4000-8000-0000000000a2')
  expect([...one, ...other]).toEqual(scans.map(({ document }) => ({ document_id: document })))
  await first.query('commit')
  await second.query('commit')
  expect(await lease(second, 'de300000-0000-4000-8000-0000000000a3')).toEqual([])
  await second.query('rollback')
})
