import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import { type Stack, startStack } from '../../undock/src/runtime/stack/stack.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const READING_ROOM = 'de300000-0000-4000-8000-000000000010'
const PUBLISHABLE = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'
const SECRET = 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'

let stack: Stack
let demo: SupabaseClient<Database>
let service: SupabaseClient<Database>
let database: Client

beforeAll(async () => {
  stack = await startStack({ workdir: ROOT, ports: 'free', state: 'memory' })
  demo = createClient<Database>(stack.url, PUBLISHABLE, { auth: { persistSession: false } })
  service = createClient<Database>(stack.url, SECRET, { auth: { persistSession: false } })
  await demo.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
  database = new Client({ connectionString: stack.dbUrl })
  await database.connect()
})
afterAll(async () => {
  await database?.end()
  await stack?.stop()
})

async function addFile(name: string): Promise<{ document: string; path: string }> {
  const document = randomUUID()
  const path = `${READING_ROOM}/${document}/${randomUUID()}/${name}`
  const { error } = await demo.storage.from('documents').upload(path, new Blob([name]), { contentType: 'text/plain' })
  if (error) throw error
  await demo.rpc('add_file', { library: READING_ROOM, document, path, file_name: name }).throwOnError()
  return { document, path }
}

const isStored = async (path: string): Promise<boolean> =>
  (await service.storage.from('documents').download(path)).error === null

test('only documents in the trash for thirty days and abandoned uploads are deleted', async () => {
  const [old, recent, kept] = [await addFile('old.txt'), await addFile('recent.txt'), await addFile('kept.txt')]
  const givenUp = `${READING_ROOM}/${randomUUID()}/${randomUUID()}/given-up.txt`
  const running = `${READING_ROOM}/${randomUUID()}/${randomUUID()}/running.txt`
  for (const path of [givenUp, running]) await demo.storage.from('documents').upload(path, new Blob(['x']))
  const days = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString()
  await service
    .from('documents')
    .update({ deleted_at: days(31) })
    .eq('id', old.document)
    .throwOnError()
  await service
    .from('documents')
    .update({ deleted_at: days(29) })
    .eq('id', recent.document)
    .throwOnError()
  await database.query("update storage.objects set created_at = now() - interval '2 days' where name <> $1", [running])

  const { data, error } = await service.functions.invoke('purge', { body: {} })
  expect({ data, error }).toEqual({ data: { documents: 1, files: 2 }, error: null })
  expect(await Promise.all([old, recent, kept].map(({ path }) => isStored(path)))).toEqual([false, true, true])
  expect([await isStored(givenUp), await isStored(running)]).toEqual([false, true])
  const again = await service.functions.invoke('purge', { body: {} })
  expect(again.data).toEqual({ documents: 0, files: 0 })
})

test('the nightly job purges the trash, and is scheduled where a scheduler exists', async () => {
  const { rows } = await database.query("select to_regclass('cron.job') is not null as scheduled")
  if (rows[0].scheduled) {
    const jobs = await database.query("select schedule, command from cron.job where jobname = 'purge'")
    expect(jobs.rows).toEqual([{ schedule: '17 3 * * *', command: 'select private.purge_nightly()' }])
  }
  const { document } = await addFile('night.txt')
  await service
    .from('documents')
    .update({ deleted_at: new Date(Date.now() - 31 * 86_400_000).toISOString() })
    .eq('id', document)
    .throwOnError()
  await database.query('select private.purge_nightly()')
  const { data } = await service.from('documents').select('id').eq('id', document).throwOnError()
  expect(data).toEqual([])
})
