import type { ChildProcess } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Browser, chromium, type Page } from '@playwright/test'
import type { createClient as CreateClient, RealtimeChannel, RealtimeClientOptions } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHROMIUM } from '../support/chromium.ts'
import { makeProject, type TestProject } from '../support/project.ts'
import { end, startUndock } from '../support/undock.ts'

const CONFIG = 'project_id = "browser"\n[edge_runtime]\nenabled = false\n'
const NOTES = `
create table public.notes (id int primary key, owner uuid not null default auth.uid(), body text);
alter table public.notes enable row level security;
create policy own on public.notes for all to authenticated using (owner = (select auth.uid()));
alter publication supabase_realtime add table public.notes;
create policy listen on realtime.messages for select to authenticated using (realtime.topic() = 'club');
create policy speak on realtime.messages for insert to authenticated with check (realtime.topic() = 'club');
`
const KEY = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'
const { resolve: resolveModule } = createRequire(import.meta.url)
const LIBRARY = resolveModule('@supabase/supabase-js/dist/umd/supabase.js')
const LONG_POLL = join(dirname(resolveModule('@supabase/phoenix')), 'phoenix.min.js')

let project: TestProject
let undock: ChildProcess
let browser: Browser
beforeAll(async () => {
  project = await makeProject({ 'config.toml': CONFIG, 'migrations/1_notes.sql': NOTES })
  undock = await startUndock(project)
  browser = await chromium.launch(CHROMIUM)
})
afterAll(async () => {
  await browser?.close()
  if (undock) await end(undock, 'SIGTERM')
  await project?.remove()
})

/** The globals used by code in the page. */
declare const supabase: { createClient: typeof CreateClient }
declare const Phoenix: { LongPoll: NonNullable<RealtimeClientOptions['transport']> }

/** Opens a page with the published client on an origin other than the API's. */
async function openPage(): Promise<{ page: Page; faults: string[]; where: { url: string; key: string } }> {
  const page = await browser.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  await page.addScriptTag({ path: LIBRARY })
  return { page, faults, where: { url: `http://127.0.0.1:${project.ports.SUPABASE_API_PORT}`, key: KEY } }
}

test.each(['1.0.0', '2.0.0'])('Chromium, serializer %s: broadcast, bytes, presence, changes', async (vsn) => {
  const { page, faults, where } = await openPage()
  const heard = await page.evaluate(
    async ({ url, key, serializer }) => {
      const client = supabase.createClient(url, key, { realtime: { vsn: serializer }, auth: { persistSession: false } })
      const { error: refused } = await client.auth.signUp({
        email: `reader-${serializer}@example.org`,
        password: 'four unrelated lamps',
      })
      if (refused) throw refused
      const told: Record<string, unknown> = {}
      const channel = client.channel(`room-${serializer}`, {
        config: { broadcast: { self: true, ack: true }, presence: { key: 'me' } },
      })
      const until = (name: string) =>
        new Promise<void>((resolve, reject) => {
          const watch = setInterval(() => {
            if (!(name in told)) return
            clearInterval(watch)
            resolve()
          }, 10)
          setTimeout(() => reject(new Error(`no ${name} in ${JSON.stringify(told)}`)), 20_000)
        })
      channel
        .on('broadcast', { event: 'text' }, ({ payload }) => Object.assign(told, { broadcast: payload }))
        .on('broadcast', { event: 'bytes' }, ({ payload }) =>
          Object.assign(told, { bytes: [...new Uint8Array(payload as ArrayBuffer)] }),
        )
        .on('presence', { event: 'sync' }, () => {
          const mine = channel.presenceState<{ at: string }>().me
          if (mine) Object.assign(told, { presence: mine.map(({ at }) => at) })
        })
        .on('postgres_changes', { event: '*', schema: 'public', table: 'notes' }, (change) =>
          Object.assign(told, { [change.eventType]: change.eventType === 'DELETE' ? change.old : change.new }),
        )
        .on('system', {}, ({ message }) => Object.assign(told, { system: message }))
      await new Promise<void>((resolve, reject) => {
        channel.subscribe((status, error) => (status === 'SUBSCRIBED' ? resolve() : reject(error ?? status)))
      })
      await until('system')
      const sent = await channel.send({ type: 'broadcast', event: 'text', payload: { ü: '😀' } })
      if (serializer === '2.0.0')
        await channel.send({ type: 'broadcast', event: 'bytes', payload: new Uint8Array([0, 255]).buffer })
      await channel.track({ at: 'page 1' })
      const id = Number(serializer[0])
      const notes = client.from('notes')
      await notes.insert({ id, body: 'first' }).throwOnError()
      await until('INSERT')
      await notes.update({ body: 'second' }).eq('id', id).throwOnError()
      await until('UPDATE')
      await notes.delete().eq('id', id).throwOnError()
      for (const name of ['broadcast', 'presence', 'DELETE', ...(serializer === '2.0.0' ? ['bytes'] : [])])
        await until(name)
      await client.removeAllChannels()
      return { sent, ...told }
    },
    { ...where, serializer: vsn },
  )
  const id = Number(vsn[0])
  const owner = expect.any(String)
  expect(heard).toEqual({
    sent: 'ok',
    system: 'Subscribed to PostgreSQL',
    broadcast: { ü: '😀' },
    presence: ['page 1'],
    INSERT: { id, owner, body: 'first' },
    UPDATE: { id, owner, body: 'second' },
    DELETE: { id },
    ...(vsn === '2.0.0' ? { bytes: [0, 255] } : {}),
  })
  expect(faults).toEqual([])
  await page.close()
})

test('Chromium: private channels by policy, and the heartbeat from a worker', async () => {
  const { page, faults, where } = await openPage()
  const outcome = await page.evaluate(async ({ url, key }) => {
    const beats: string[] = []
    const client = supabase.createClient(url, key, {
      auth: { persistSession: false },
      realtime: { worker: true, heartbeatIntervalMs: 200, heartbeatCallback: (status) => beats.push(status) },
    })
    const join = (channel: RealtimeChannel) =>
      new Promise<string>((resolve) => {
        channel.subscribe((status, error) => resolve(error ? `${status}: ${error.message}` : status))
      })
    const club = () => client.channel('club', { config: { private: true } })
    const stranger = await join(club())
    await client.removeAllChannels()
    await client.auth.signUp({ email: 'member@example.org', password: 'four unrelated lamps' })
    const member = await join(club())
    while (!beats.includes('ok')) await new Promise((resolve) => setTimeout(resolve, 20))
    await client.removeAllChannels()
    return { stranger, member }
  }, where)
  expect(outcome).toEqual({
    stranger: expect.stringContaining('You do not have permissions to read from this Channel topic: club'),
    member: 'SUBSCRIBED',
  })
  expect(faults).toEqual([])
  await page.close()
})

test('Chromium: long polling from another origin', async () => {
  const { page, faults, where } = await openPage()
  await page.addScriptTag({ path: LONG_POLL })
  const outcome = await page.evaluate(async ({ url, key }) => {
    const client = supabase.createClient(url, key, {
      auth: { persistSession: false },
      realtime: { transport: Phoenix.LongPoll },
    })
    const channel = client.channel('polled', { config: { broadcast: { self: true, ack: true } } })
    const heard = new Promise((resolve) => {
      channel.on('broadcast', { event: 'text' }, ({ payload }) => resolve(payload))
    })
    const status = await new Promise<string>((resolve) => {
      channel.subscribe(resolve)
    })
    const sent = await channel.send({ type: 'broadcast', event: 'text', payload: { ü: '😀' } })
    const payload = await heard
    await client.removeAllChannels()
    return { status, sent, payload }
  }, where)
  expect(outcome).toEqual({ status: 'SUBSCRIBED', sent: 'ok', payload: { ü: '😀' } })
  expect(faults).toEqual([])
  await page.close()
})
