import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient, type RealtimeChannel, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startWholeStack, type WholeStack } from '../../src/test-kit/whole-stack.ts'
import type { RequestTree, Span } from '../../src/timeline/records.ts'
import { makeProject, type TestProject } from '../support/project.ts'

// Records work other than SQL and emails: hooks, files, joins of channels, deliveries to subscribers, waiting.

let project: TestProject
let stack: WholeStack
let endpoint: Server
const opened: SupabaseClient[] = []

beforeAll(async () => {
  endpoint = createServer((_request, response) => response.setHeader('content-type', 'application/json').end('{}'))
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
  const { port } = endpoint.address() as AddressInfo
  project = await makeProject({
    'config.toml': `
      project_id = "work"
      [edge_runtime]
      enabled = false
      [auth.hook.before_user_created]
      enabled = true
      uri = "http://127.0.0.1:${port}/hook?key=hook-query-secret"
      secrets = "v1,whsec_c2VjcmV0IG9mIHRoZSBob29rIHRoYXQgaXMgbG9uZw=="
      [auth.hook.custom_access_token]
      enabled = true
      uri = "pg-functions://postgres/public/add_claim"`,
    'undock.toml': '[timeline]\nbodies = true\n',
    'migrations/20260101000000_notes.sql': `
      create table public.notes (id int primary key, owner uuid, title text);
      alter table public.notes enable row level security;
      create policy "one's own" on public.notes to authenticated using (owner = auth.uid());
      grant select on public.notes to authenticated;
      grant all on public.notes to service_role;
      alter publication supabase_realtime add table public.notes;
      create policy "rooms" on realtime.messages for select to authenticated using (realtime.topic() like 'room:%');
      create function public.add_claim(event jsonb) returns jsonb language sql as 'select event';
      grant execute on function public.add_claim to supabase_auth_admin;
      insert into storage.buckets (id, name) values ('files', 'files');`,
  })
  stack = await startWholeStack({ workdir: project.folder })
}, 120_000)
afterAll(async () => {
  for (const client of opened) await client.removeAllChannels()
  await stack?.stop()
  await project?.remove()
  endpoint?.close()
})

const OPTIONS = { auth: { persistSession: false, autoRefreshToken: false } }
const clientWith = (key: string): SupabaseClient => {
  const client = createClient(stack.url, key, OPTIONS)
  opened.push(client)
  return client
}
async function signedIn() {
  const user = await stack.createUser()
  const client = clientWith(stack.keys.publishable)
  await client.auth.setSession(user.session)
  await client.realtime.setAuth(user.session.access_token)
  return { user, client }
}

const all = (): RequestTree[] => {
  const flat = (tree: RequestTree): RequestTree[] => [tree, ...tree.children.flatMap(flat)]
  return stack.requests().flatMap(flat)
}
const newest = (method: string, path: string): RequestTree | undefined =>
  all().findLast((one) => one.method === method && one.path.startsWith(path))
const spansOf = <Kind extends Span['kind']>(tree: RequestTree | undefined, kind: Kind) =>
  (tree?.spans ?? []).filter((span): span is Extract<Span, { kind: Kind }> => span.kind === kind)

/** Joins a channel. @returns its last state. */
const join = (channel: RealtimeChannel): Promise<string> =>
  new Promise((resolve) =>
    channel.subscribe((state) => {
      if (state === 'SUBSCRIBED' || state === 'CHANNEL_ERROR') resolve(state)
    }),
  )

test('records Auth hooks under their request, without payloads or keys in URLs', async () => {
  const { data } = await clientWith(stack.keys.publishable).auth.signUp({
    email: 'ada@example.org',
    password: 'a steady lamp, kept',
  })
  const signUp = newest('POST', '/auth/v1/signup')
  expect(spansOf(signUp, 'hook')).toMatchObject([
    { name: 'before-user-created', target: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/hook$/), error: null },
    { name: 'customize-access-token', target: 'pg-functions://postgres/public/add_claim', error: null },
  ])
  const kept = JSON.stringify(all())
  const { access_token = 'none' } = data.session ?? {}
  for (const secret of ['hook-query-secret', 'whsec', 'c2VjcmV0', 'webhook-signature', 'a steady lamp', access_token])
    expect(kept).not.toContain(secret)
})

test('records files that Storage writes and removes under their request', async () => {
  const files = clientWith(stack.keys.secret).storage.from('files')
  await files.upload('a.txt', 'twelve bytes')
  await files.copy('a.txt', 'b.txt')
  await files.remove(['a.txt'])
  expect(spansOf(newest('POST', '/storage/v1/object/files/a.txt'), 'file')).toMatchObject([
    { action: 'write', bucket: 'files', bytes: 12, error: null },
  ])
  expect(spansOf(newest('POST', '/storage/v1/object/copy'), 'file')).toMatchObject([{ action: 'copy' }])
  expect(spansOf(newest('DELETE', '/storage/v1/object/files'), 'file')).toMatchObject([{ action: 'remove' }])
})

test("records joins with topic, verdict and policies under their socket's handshake", async () => {
  const { user, client } = await signedIn()
  expect(await join(client.channel('room:1', { config: { private: true } }))).toBe('SUBSCRIBED')
  expect(await join(client.channel('hall:1', { config: { private: true } }))).toBe('CHANNEL_ERROR')
  const joined = newest('JOIN', 'realtime:room:1')
  expect(joined).toMatchObject({ status: 200, caller: { role: 'authenticated', claims: { sub: user.id } } })
  expect(spansOf(joined, 'join')).toMatchObject([
    { topic: 'realtime:room:1', verdict: 'joined', allowed: { 'to receive broadcasts': true } },
  ])
  expect(spansOf(joined, 'sql')[0]?.statements[0]?.text).toContain('_realtime.allowed')
  const refused = newest('JOIN', 'realtime:hall:1')
  expect(refused).toMatchObject({ status: 403 })
  expect(spansOf(refused, 'join')).toMatchObject([{ verdict: expect.stringMatching(/^Unauthorized: /), allowed: null }])
  const handshake = all().find(({ id }) => id === joined?.parent)
  expect(handshake).toMatchObject({ method: 'GET', status: 101, path: expect.stringContaining('apikey=…') })
})

test("records who received a broadcast and who didn't", async () => {
  const { client: reader } = await signedIn()
  const sender = clientWith(stack.keys.publishable)
  const heard = vi.fn()
  expect(await join(reader.channel('square').on('broadcast', { event: 'x' }, heard))).toBe('SUBSCRIBED')
  const own = sender.channel('square')
  expect(await join(own)).toBe('SUBSCRIBED')
  await own.send({ type: 'broadcast', event: 'x', payload: {} })
  await vi.waitFor(() => expect(heard).toHaveBeenCalled())
  const joined = all().findLast(
    ({ method, path, caller }) => method === 'JOIN' && path === 'realtime:square' && caller?.role === 'anon',
  )
  expect(spansOf(joined, 'delivery')).toMatchObject([
    { event: 'broadcast', topic: 'square', receivers: 1, withheld: [{ caller: 'anon', reason: 'sender', count: 1 }] },
  ])
  await fetch(`${stack.url}/realtime/v1/api/broadcast`, {
    method: 'POST',
    headers: { apikey: stack.keys.secret, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ topic: 'square', event: 'x', payload: {} }] }),
  })
  expect(spansOf(newest('POST', '/realtime/v1/api/broadcast'), 'delivery')).toMatchObject([
    { receivers: 2, withheld: [] },
  ])
})

test('records who sees a changed row and who is excluded by row security or a filter', async () => {
  const [one, two, three] = [await signedIn(), await signedIn(), await signedIn()]
  const heard = vi.fn()
  const table = { event: 'INSERT', schema: 'public', table: 'notes' } as const
  const listen = async ({ client }: typeof one, filter: object = {}) => {
    const ready = new Promise<void>((resolve) =>
      client
        .channel('notes')
        .on('system', {}, ({ status }) => status === 'ok' && resolve())
        .on('postgres_changes', { ...table, ...filter }, heard)
        .subscribe(),
    )
    await ready
  }
  await listen(one)
  await listen(two)
  await listen(three, { filter: 'id=eq.99' })
  await clientWith(stack.keys.secret).from('notes').insert({ id: 1, owner: one.user.id, title: 't' }).throwOnError()
  await vi.waitFor(() => expect(heard).toHaveBeenCalledOnce(), { timeout: 10_000 })
  await vi.waitFor(() => expect(newest('DELIVER', '')?.status).toBe(200))
  const delivered = newest('DELIVER', '')
  expect(spansOf(delivered, 'delivery')).toMatchObject([{ event: 'INSERT', topic: 'public.notes', receivers: 1 }])
  expect(spansOf(delivered, 'delivery')[0]?.withheld.toSorted((a, b) => (a.reason < b.reason ? -1 : 1))).toEqual([
    { caller: `authenticated, user ${three.user.id}`, reason: 'filter', count: 1 },
    { caller: `authenticated, user ${two.user.id}`, reason: 'policy', count: 1 },
  ])
})

test('records how long a statement waited for its session', async () => {
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  // Every session on either engine.
  const holders = Array.from({ length: 40 }, () =>
    stack.db.transaction({ settings: { role: 'service_role' } }, () => held),
  )
  const answer = Promise.resolve(clientWith(stack.keys.secret).from('notes').select('id'))
  // The key has been read; the statement is next.
  await vi.waitFor(() => expect(newest('GET', '/rest/v1/notes?select=id')?.caller).toBeTruthy())
  await new Promise((resolve) => setTimeout(resolve, 50))
  release()
  await Promise.all(holders)
  expect((await answer).error).toBeNull()
  const [span] = spansOf(newest('GET', '/rest/v1/notes?select=id'), 'sql')
  expect(span?.waited).toBeGreaterThan(1)
  expect(span?.waited).toBeLessThanOrEqual(span?.duration ?? 0)
})
