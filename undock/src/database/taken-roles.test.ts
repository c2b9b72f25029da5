import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRest, type RestHarness } from '../rest/testing/service.ts'
import { testMajor } from '../testing/database.ts'
import { join } from '../testing/realtime-client.ts'
import { type RealtimeServer, startRealtimeServer } from '../testing/realtime-server.ts'
import { type StorageServer, startStorageServer } from '../testing/storage-server.ts'

// Like upstream, services act as the role in a signed token if it is granted to `authenticator`.

const SUB = '00000000-0000-4000-8000-00000000000a'
const LIBRARIAN = 'create role librarian; grant librarian to authenticator;'
const REVOKE = 'revoke librarian from authenticator'

const FORBIDDEN = ['supabase_admin', 'postgres', 'pg_read_all_data', 'supabase_auth_admin', 'supabase_storage_admin']
const cannotTake = (role: string) => ({ code: '42501', message: `permission denied to set role "${role}"` })

describe('the Data API', () => {
  let rest: RestHarness
  beforeAll(async () => {
    rest = await openRest(`
      create table public.books (id int primary key);
      insert into public.books values (1);
      create function public.who() returns text language sql as $$ select session_user || '/' || current_user $$;
      revoke all on public.books from public;
      ${LIBRARIAN}
      grant usage on schema public to librarian; grant select on public.books to librarian;
    `)
  })
  afterAll(() => rest?.close())

  const read = async (role: string) => (await rest.as({ sub: SUB, role })).from('books').select()

  test.each(FORBIDDEN)('rejects %s as a role', async (role) => {
    expect(await read(role)).toMatchObject({ status: 403, error: cannotTake(role) })
  })

  test.each(['no_such_role', 'Anon', 'a"b', "'; select 1"])('%j is not a role', async (role) => {
    const { status, error } = await read(role)
    expect([status, error?.message]).toEqual([401, `role "${role}" does not exist`])
  })

  test.each(['none', 'authenticator'])("%s means the authenticator itself, which can't read anything", async (role) => {
    expect(await read(role)).toMatchObject({
      status: 403,
      error: { code: '42501', message: 'permission denied for table books' },
    })
    const { data } = await (await rest.as({ sub: SUB, role })).rpc('who')
    expect(data).toBe('authenticator/authenticator')
  })

  test('a project role can be used while the authenticator is a member of it', async () => {
    expect(await read('librarian')).toMatchObject({ status: 200, data: [{ id: 1 }] })
    await rest.db.exec(REVOKE)
    expect(await read('librarian')).toMatchObject({ status: 403, error: cannotTake('librarian') })
    await rest.db.exec('grant librarian to authenticator')
    expect(await read('librarian')).toMatchObject({ status: 200 })
  })

  test.skipIf(testMajor < 16)("membership without SET isn't enough", async () => {
    await rest.db.exec('grant librarian to authenticator with set false')
    expect(await read('librarian')).toMatchObject({ status: 403, error: cannotTake('librarian') })
    await rest.db.exec('grant librarian to authenticator with set true')
    expect(await read('librarian')).toMatchObject({ status: 200 })
  })

  test('leaves the session unchanged', async () => {
    await read('authenticated')
    await read('postgres')
    const { rows } = await rest.db.query({ text: "select session_user || '/' || current_user as who", values: [] })
    expect(rows).toEqual([{ who: 'supabase_admin/supabase_admin' }])
  })
})

describe('Storage', () => {
  let harness: StorageServer
  beforeAll(async () => {
    harness = await startStorageServer({ script: `${LIBRARIAN} grant usage on schema storage to librarian;` })
    await harness.service.storage.createBucket('things')
  })
  afterAll(() => harness?.close())

  const as = async (role: string): Promise<SupabaseClient> => {
    const token = await harness.identity.sign({ role, sub: SUB, exp: Math.floor(Date.now() / 1000) + 3600 })
    return createClient(harness.url, harness.identity.keys.publishable, { accessToken: async () => token })
  }
  const attempts: Readonly<Record<string, (client: SupabaseClient) => Promise<{ error: unknown }>>> = {
    upload: ({ storage }) => storage.from('things').upload('a.txt', 'text'),
    list: ({ storage }) => storage.from('things').list(),
    download: ({ storage }) => storage.from('things').download('a.txt'),
    createBucket: ({ storage }) => storage.createBucket('mine'),
  }

  test.each([
    ...FORBIDDEN.map((role) => [role, `permission denied to set role "${role}"`]),
    ['no_such_role', 'role "no_such_role" does not exist'],
  ])('rejects %s as a role', async (role, message) => {
    const client = await as(role)
    for (const [name, attempt] of Object.entries(attempts)) {
      expect((await attempt(client)).error, name).toMatchObject({ message, status: 400, statusCode: '403' })
    }
  })

  test('a project role can be used until it is revoked', async () => {
    const client = await as('librarian')
    expect((await client.storage.from('things').list()).error).toMatchObject({
      message: expect.stringContaining('permission denied for table'),
    })
    await harness.db.exec('grant select on storage.objects, storage.buckets to librarian')
    expect(await client.storage.from('things').list()).toMatchObject({ error: null, data: [] })
    await harness.db.exec(REVOKE)
    expect((await client.storage.from('things').list()).error).toMatchObject(cannotTakeIn('librarian'))
  })

  const cannotTakeIn = (role: string) => ({ message: cannotTake(role).message, status: 400 })
})

describe('Realtime', () => {
  let server: RealtimeServer
  beforeAll(async () => {
    server = await startRealtimeServer(`
      ${LIBRARIAN}
      grant usage on schema realtime, auth to librarian; grant select, insert on realtime.messages to librarian;
      create policy read on realtime.messages for select to librarian using (true);
      create policy write on realtime.messages for insert to librarian with check (true);`)
  })
  afterAll(() => server?.close())

  const enter = async (role: string) =>
    join(server.client(await server.token({ role })).channel('club', { config: { private: true } }))

  test.each([...FORBIDDEN, 'no_such_role'])('rejects %s as a role', async (role) => {
    expect(await enter(role)).toBe(
      'CHANNEL_ERROR: Unauthorized: You do not have permissions to read from this Channel topic: club',
    )
    expect(server.faults.splice(0)).not.toEqual([])
  })

  test('a project role can be used until it is revoked', async () => {
    expect(await enter('librarian')).toBe('SUBSCRIBED')
    await server.db.exec(REVOKE)
    expect(await enter('librarian')).toContain('Unauthorized')
  })
})
