import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeFiles } from '../testing/files.ts'
import { forkStack, startStack, type TestStack } from './start-stack.ts'

let workdir: string

beforeAll(async () => {
  workdir = await mkdtemp(join(tmpdir(), 'undock-library-'))
  await makeFiles(join(workdir, 'supabase'), {
    'config.toml':
      '[storage.buckets.docs]\npublic = false\n[auth.mfa.totp]\nenroll_enabled = true\nverify_enabled = true',
    'migrations/1_notes.sql': `
      create table public.notes (id int primary key, body text, owner uuid default auth.uid());
      alter table public.notes enable row level security;
      create policy "own" on public.notes using (owner = auth.uid());`,
    'seed.sql': `insert into public.notes (id, body) values (1, 'seeded');`,
  })
})
afterAll(() => rm(workdir, { recursive: true, force: true }))

const client = ({ url, keys }: TestStack, key = keys.publishable) =>
  createClient(url, key, { auth: { persistSession: false, autoRefreshToken: false } })
const asService = (stack: TestStack) => client(stack, stack.keys.secret)
const notes = async (stack: TestStack) =>
  (await stack.query<{ id: number }>('select id from public.notes order by id')).map(({ id }) => id)

describe('a stack for a test', () => {
  let stack: TestStack
  beforeAll(async () => {
    stack = await startStack({ workdir, exclude: ['functions'] })
  })
  afterAll(() => stack?.stop())

  test('has users with a session at the requested level', async () => {
    const { session } = await stack.createUser({ user_metadata: { name: 'Ada' } })
    const supabase = client(stack)
    const { data } = await supabase.auth.setSession(session)
    expect(data.user?.user_metadata.name).toBe('Ada')
    const { error } = await supabase.from('notes').insert({ id: 2, body: 'mine' })
    expect(error).toBeNull()
    const raised = await stack.createUser({ aal: 'aal2' })
    const { payload } = await import('jose').then(({ decodeJwt }) => ({
      payload: decodeJwt(raised.session.access_token),
    }))
    expect(payload.aal).toBe('aal2')
  })

  test('forks with its rows, users and files, which then change independently', async () => {
    const { id } = await stack.createUser({ email: 'forked@example.com', password: 'secret-1' })
    const service = asService(stack)
    expect((await service.storage.from('docs').upload('forked', 'content')).error).toBeNull()
    const fork = await forkStack(stack)
    try {
      await stack.query('insert into public.notes (id) values (20)')
      await fork.query('insert into public.notes (id) values (21)')
      expect(await notes(fork)).toEqual([...(await notes(stack)).filter((one) => one !== 20), 21])
      const signedIn = await client(fork).auth.signInWithPassword({ email: 'forked@example.com', password: 'secret-1' })
      expect(signedIn.data.user?.id).toBe(id)
      const { data } = await asService(fork).storage.from('docs').download('forked')
      expect(await data?.text()).toBe('content')
      await fork.reset()
      expect(await notes(fork)).toEqual([1])
    } finally {
      await fork.stop()
    }
    expect((await service.storage.from('docs').download('forked')).error).toBeNull()
    await stack.query('delete from public.notes where id = 20')
    await expect(forkStack({ ...stack })).rejects.toThrow('Only a stack of startStack')
  })

  test('returns the last email with its link and code, and the link redirects back', async () => {
    const email = 'reader@example.com'
    const { error } = await client(stack).auth.signInWithOtp({ email })
    expect(error).toBeNull()
    const mail = await stack.lastMail(email)
    expect(mail.code).toMatch(/^\d{6}$/)
    const target = await mail.follow()
    expect(target.hash).toContain('access_token=')
  })

  test('restores database, files and emails from a snapshot, repeatedly', async () => {
    await stack.reset()
    const docs = asService(stack).storage.from('docs')
    await stack.query(`insert into public.notes (id) values (5)`)
    expect((await docs.upload('kept.txt', 'kept')).error).toBeNull()
    await client(stack).auth.signInWithOtp({ email: 'kept@example.com' })
    const snapshot = await stack.snapshot()
    for (const round of [1, 2]) {
      await stack.query(`insert into public.notes (id) values (${round + 5})`)
      await docs.remove(['kept.txt'])
      await docs.upload('other.txt', 'other')
      await client(stack).auth.signInWithOtp({ email: `other-${round}@example.com` })
      await stack.restore(snapshot)
      expect(await notes(stack)).toEqual([1, 5])
      expect(await (await docs.download('kept.txt')).data?.text()).toBe('kept')
      expect((await docs.list()).data?.map(({ name }) => name)).toEqual(['kept.txt'])
      expect((await stack.lastMail('kept@example.com')).code).not.toBe('')
      await expect(stack.lastMail(`other-${round}@example.com`, { timeout: 0 })).rejects.toThrow('Waited')
    }
    await snapshot.discard()
    await stack.reset()
    expect(await notes(stack)).toEqual([1])
    expect((await asService(stack).from('notes').select('id')).data).toEqual([{ id: 1 }])
    expect((await docs.list()).data).toEqual([])
  })

  test('has a clock for tokens and codes that can be set', async () => {
    const { session } = await stack.createUser()
    const me = () =>
      fetch(`${stack.url}/auth/v1/user`, {
        headers: { apikey: stack.keys.publishable, authorization: `Bearer ${session.access_token}` },
      }).then(({ status }) => status)
    const email = 'late@example.com'
    await client(stack).auth.signInWithOtp({ email })
    const { code } = await stack.lastMail(email)
    expect(await me()).toBe(200)
    stack.clock.advance('1h5m')
    expect(await me()).toBe(403)
    const { error } = await client(stack).auth.verifyOtp({ email, token: code, type: 'email' })
    expect(error?.code).toBe('otp_expired')
    stack.clock.restore()
    expect(await me()).toBe(200)
    expect(() => stack.clock.advance('soon')).toThrow(RangeError)
    expect(() => stack.clock.advance('99999999h')).toThrow('beyond the year 9999')
  })

  test('another process can set its clock and faults', async () => {
    const set = async (path: string, change: object) => {
      const headers = { apikey: stack.keys.secret }
      const response = await fetch(`${stack.url}/undock/v1/${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(change),
      })
      return [response.status, await response.json()]
    }
    expect(await set('clock', { by: '1h' })).toEqual([200, { now: expect.any(String), offset: 3_600_000 }])
    expect(await set('clock', { by: 'soon' })).toEqual([422, { message: expect.stringContaining('no duration') }])
    expect(await set('clock', {})).toEqual([200, { now: expect.any(String), offset: 0 }])
    const none = { isOffline: false, delays: {}, failures: {} }
    expect(await set('faults', { do: 'delay', service: 'rest', milliseconds: 5 })).toEqual([
      200,
      { ...none, delays: { rest: 5 } },
    ])
    expect(await set('faults', { do: 'delay', service: 'rest', milliseconds: 0 })).toEqual([200, none])
    const failing = { ...none, failures: { auth: { status: 503, times: null }, rest: { status: 500, times: 2 } } }
    await set('faults', { do: 'fail', service: 'auth' })
    expect(await set('faults', { do: 'fail', service: 'rest', status: 500, times: 2 })).toEqual([200, failing])
    await set('faults', { do: 'stop-failing', service: 'auth' })
    expect(stack.faults.state.failures).toEqual({ rest: { status: 500, times: 2 } })
    for (const change of [
      {},
      { do: 'fail', service: 'mcp' },
      { do: 'fail', service: 'rest', status: 200 },
      { do: 'delay', service: 'rest', milliseconds: 1e9 },
    ])
      expect(await set('faults', change)).toEqual([400, { message: expect.stringContaining('cannot be used') }])
    expect(await set('faults', { do: 'clear' })).toEqual([200, none])
  })

  test('has faults that can be switched on and off', async () => {
    const status = () =>
      fetch(`${stack.url}/rest/v1/notes`, { headers: { apikey: stack.keys.publishable } }).then(
        (response) => response.status,
        () => 'unreachable',
      )
    stack.faults.fail('rest', { status: 502, times: 2 })
    expect([await status(), await status(), await status()]).toEqual([502, 502, 200])
    await stack.faults.goOffline()
    expect(await status()).toBe('unreachable')
    stack.faults.goOnline()
    expect(await status()).toBe(200)
    stack.faults.fail('mail')
    expect((await client(stack).auth.signInWithOtp({ email: 'lost@example.com' })).error).not.toBeNull()
    stack.faults.clear()
    expect((await client(stack).auth.signInWithOtp({ email: 'found@example.com' })).error).toBeNull()
    const socket = new WebSocket(
      `${stack.url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${stack.keys.publishable}`,
    )
    await new Promise((resolve) => socket.addEventListener('open', resolve))
    const closed = new Promise((resolve) => socket.addEventListener('close', resolve))
    await stack.faults.dropSockets()
    await closed
    expect(await status()).toBe(200)
  })
})
