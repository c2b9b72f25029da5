import { chmod, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient } from '@supabase/supabase-js'
import { afterEach, describe, expect, test } from 'vitest'
import { makeProject, type TestProject } from '../support/project.ts'
import { end, endRunning, startUndock, undock } from '../support/undock.ts'
import { randomFrom, SECRET_KEY } from './storage-load.ts'

const KILLS = Number(process.env.FAULTS_KILLS ?? 200)
const SEED = Number(process.env.FAULTS_SEED ?? 1)

const CONFIG = '[edge_runtime]\nenabled = false\n[storage.buckets.docs]\n'
const MIGRATION = `
  create table public.entries (id text primary key, body text not null);
  alter table public.entries enable row level security;
  alter publication supabase_realtime add table public.entries;`

let project: TestProject | undefined
afterEach(async () => {
  await endRunning()
  await project?.remove()
})

const clientOf = ({ ports }: TestProject) =>
  createClient(`http://127.0.0.1:${ports.SUPABASE_API_PORT}`, SECRET_KEY, {
    auth: { persistSession: false, autoRefreshToken: false },
  })
type Client = ReturnType<typeof clientOf>

/** What was acknowledged, and must be there after any end. */
class Acknowledged {
  readonly rows = new Set<string>()
  readonly users = new Set<string>()
  readonly files = new Set<string>()

  /** One client's load: rows, users and files in turn, until the connection ends. */
  async load(client: Client, name: string, isOn: () => boolean): Promise<void> {
    for (let step = 0; isOn(); step++) {
      const id = `${name}-${step}`
      const row = await client.from('entries').insert({ id, body: id })
      if (!row.error) this.rows.add(id)
      const file = await client.storage.from('docs').upload(`${id}.txt`, id)
      if (!file.error) this.files.add(`${id}.txt`)
      if (step % 4 > 0) continue
      const email = `${id}@example.com`
      const user = await client.auth.admin.createUser({ email, email_confirm: true })
      if (!user.error) this.users.add(email)
    }
  }

  async check(client: Client): Promise<void> {
    expect(
      missing(this.rows, await pages((from, to) => client.from('entries').select('id').range(from, to), 'id')),
    ).toEqual([])
    const listed = await pages(
      (offset, to) => client.storage.from('docs').list('', { offset, limit: to - offset + 1 }),
      'name',
    )
    expect(missing(this.files, listed)).toEqual([])
    const users = new Set<string>()
    for (let page = 1; ; page++) {
      const { data, error } = await client.auth.admin.listUsers({ page, perPage: 1_000 })
      expect(error).toBeNull()
      for (const { email } of data.users) users.add(email ?? '')
      if (data.users.length < 1_000) break
    }
    expect(missing(this.users, users)).toEqual([])
  }
}

const missing = (wanted: ReadonlySet<string>, found: ReadonlySet<string>) =>
  [...wanted].filter((one) => !found.has(one))

const PAGE = 500
type Page = PromiseLike<{ data: object[] | null; error: unknown }>
async function pages(read: (from: number, to: number) => Page, key: string): Promise<Set<string>> {
  const found = new Set<string>()
  for (let from = 0; ; from += PAGE) {
    const { data, error } = await read(from, from + PAGE - 1)
    expect(error).toBeNull()
    for (const one of data ?? []) found.add(String((one as Record<string, unknown>)[key]))
    if ((data?.length ?? 0) < PAGE) return found
  }
}

describe.each(['pglite', 'native'])('on %s', (engine) => {
  test(`killed ${KILLS} times under mixed load, the next start serves all that was acknowledged`, async () => {
    const files = {
      'config.toml': CONFIG,
      'undock.toml': `engine = "${engine}"`,
      'migrations/1_entries.sql': MIGRATION,
    }
    project = await makeProject(files)
    const random = randomFrom(SEED)
    const known = new Acknowledged()
    for (let kill = 0; kill < KILLS; kill++) {
      const running = await startUndock(project)
      const client = clientOf(project)
      // A look at each tenth start keeps a run of hundreds within minutes.
      if (kill % 10 === 0) await known.check(client)
      let isOn = true
      const load = [1, 2, 3].map((one) => known.load(client, `${kill}-${one}`, () => isOn))
      await wait(20 + random() * 700)
      isOn = false
      await end(running, 'SIGKILL')
      await Promise.all(load)
    }
    const running = await startUndock(project)
    await known.check(clientOf(project))
    expect(known.rows.size).toBeGreaterThan(KILLS)
    await end(running, 'SIGTERM')
  }, 3_600_000)

  test('a migration that fails leaves nothing half-applied, at the first start and at a reset', async () => {
    const bad = 'create table public.half (id int); insert into nowhere values (1);'
    project = await makeProject({
      'config.toml': CONFIG,
      'undock.toml': `engine = "${engine}"`,
      'migrations/1_entries.sql': MIGRATION,
      'migrations/2_bad.sql': bad,
    })
    const first = await undock(project, 'start')
    expect([first.code, first.stderr]).toEqual([1, expect.stringContaining('2_bad.sql:1')])
    await project.write('migrations/2_bad.sql', 'select 1')
    const running = await startUndock(project)
    const client = clientOf(project)
    expect((await client.from('entries').insert({ id: 'kept', body: '' })).error).toBeNull()
    await project.write('migrations/2_bad.sql', bad)
    expect((await undock(project, 'reset')).code).toBe(1)
    expect((await client.from('entries').select('id')).data).toEqual([{ id: 'kept' }])
    expect((await client.from('half').select()).error?.code).toBe('PGRST205')
    await end(running, 'SIGTERM')
  }, 300_000)
})

// Root may write everywhere.
test.skipIf(process.getuid?.() === 0)('a folder that cannot be written says so', async () => {
  project = await makeProject({ 'config.toml': CONFIG })
  const folder = join(project.folder, 'supabase')
  await chmod(folder, 0o555)
  const { code, stderr } = await undock(project, 'start')
  await chmod(folder, 0o755)
  expect([code, stderr]).toEqual([1, expect.stringContaining('EACCES')])
  expect(await readdir(folder)).not.toContain('.undock')
})
