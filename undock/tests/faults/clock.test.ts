import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@supabase/supabase-js'
import { afterEach, expect, test } from 'vitest'
import { makeProject, type TestProject } from '../support/project.ts'
import { end, endRunning, startUndock } from '../support/undock.ts'
import { clientOf, expectLive, MIXED_PROJECT } from './mixed-load.ts'

const PRELOAD = fileURLToPath(new URL('./shifted-clock.js', import.meta.url))
const DAY = 24 * 60 * 60 * 1_000
const PUBLISHABLE_KEY = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'

const PROJECT = {
  ...MIXED_PROJECT,
  'migrations/2_ticks.sql': `
    create extension pg_cron;
    create table public.ticks (at timestamptz not null default now());
    grant select on public.ticks to service_role;
    grant select on public.entries to authenticated;
    create policy everyone on public.entries for select to authenticated using (true);
    select cron.schedule('tick', '1 second', 'insert into public.ticks default values');`,
}

let project: TestProject | undefined
afterEach(async () => {
  await endRunning()
  await project?.remove()
})

test.each([
  ['forward', 2 * DAY],
  ['back', -2 * DAY],
])(
  "the machine's clock jumps %s: services, sessions and jobs continue",
  async (_direction, jump) => {
    const made = await makeProject(PROJECT)
    const file = join(made.folder, 'clock')
    project = { ...made, ports: { ...made.ports, SHIFTED_CLOCK: file } }
    await writeFile(file, '0')
    const running = await startUndock(project, [], ['--import', PRELOAD])
    const admin = clientOf(project)
    const ticks = async () => (await admin.from('ticks').select('*', { count: 'exact', head: true })).count ?? 0

    const email = 'one@example.com'
    const password = 'a password of nobody'
    expect((await admin.auth.admin.createUser({ email, password, email_confirm: true })).error).toBeNull()
    const user = createClient(`http://127.0.0.1:${project.ports.SUPABASE_API_PORT}`, PUBLISHABLE_KEY, {
      auth: { persistSession: false, autoRefreshToken: false },
    })
    const { data } = await user.auth.signInWithPassword({ email, password })
    const read = async (token: string) =>
      (
        await fetch(`http://127.0.0.1:${made.ports.SUPABASE_API_PORT}/rest/v1/entries`, {
          headers: { apikey: PUBLISHABLE_KEY, authorization: `Bearer ${token}` },
        })
      ).status
    const token = data.session?.access_token ?? ''
    expect(await read(token)).toBe(200)
    await expectLive(project, 'before')
    await expect.poll(ticks, { timeout: 60_000 }).toBeGreaterThan(0)

    await writeFile(`${file}.new`, String(jump))
    await rename(`${file}.new`, file)

    // Jobs continue by the new time; by the old time, the next run may be two days away. Their rows don't show it, because the
    // native engine's server uses the machine's clock.
    const until = await ticks()
    await expect.poll(ticks, { timeout: 60_000 }).toBeGreaterThan(until + 1)

    // The token has expired or was issued in the future.
    expect(await read(token)).toBe(401)
    const refreshed = await user.auth.refreshSession({ refresh_token: data.session?.refresh_token ?? '' })
    expect(refreshed.error).toBeNull()
    expect(await read(refreshed.data.session?.access_token ?? '')).toBe(200)
    expect((await user.auth.signInWithPassword({ email, password })).error).toBeNull()
    await expectLive(project, 'after')
    expect((await admin.storage.from('docs').upload('after.txt', 'after')).error).toBeNull()
    await end(running, 'SIGTERM')
  },
  300_000,
)
