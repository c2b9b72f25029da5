import { spawnSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { freePort, makeProject, type TestProject } from '../support/project.ts'
import { end, endRunning, startUndock, undock } from '../support/undock.ts'

const SECRET = 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'

let project: TestProject
afterEach(async () => {
  await endRunning()
  await project.remove()
})

function git(...words: readonly string[]): void {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
  const { status, stderr } = spawnSync('git', [...identity, ...words], { cwd: project.folder, encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, expect.any(String)])
}

async function makeNotes(settings = ''): Promise<void> {
  project = await makeProject({
    'config.toml': 'project_id = "branches"\n[edge_runtime]\nenabled = false\n[storage.buckets.files]\npublic = true\n',
    'undock.toml': settings,
    'migrations/1_notes.sql':
      'create table public.notes (text text primary key); grant all on public.notes to service_role;',
  })
}

const clientOf = () =>
  createClient(`http://127.0.0.1:${project.ports.SUPABASE_API_PORT}`, SECRET, { auth: { persistSession: false } })

/** Adds a row, a file, a user and an email. */
async function add(name: string): Promise<void> {
  const client = clientOf()
  const email = `${name}@example.org`
  const results = [
    await client.from('notes').insert({ text: name }),
    await client.storage.from('files').upload(name, `content of ${name}`),
    await client.auth.admin.createUser({ email, email_confirm: true }),
    await client.auth.signInWithOtp({ email }),
  ]
  expect(results.map(({ error }) => error)).toEqual([null, null, null, null])
}

/** The names from `add` whose row, file, user and email exist, without others. */
async function found(): Promise<string[]> {
  const client = clientOf()
  const { data: rows } = await client.from('notes').select('text').order('text')
  const names = (rows ?? []).map(({ text }) => String(text))
  const files = await client.storage.from('files').list()
  expect(files.data?.map(({ name }) => name).toSorted()).toEqual(names)
  for (const name of names) {
    const { data } = await client.storage.from('files').download(name)
    expect(await data?.text()).toBe(`content of ${name}`)
  }
  const users = await client.auth.admin.listUsers()
  expect(users.data.users.map(({ email }) => email?.split('@')[0]).toSorted()).toEqual(names)
  const mails = await fetch(`http://127.0.0.1:${project.ports.SUPABASE_LOCAL_SMTP_PORT}/api/v1/messages`)
  const { messages } = (await mails.json()) as { messages: { To: { Address: string }[] }[] }
  expect(messages.map(({ To }) => To[0]?.Address.split('@')[0]).toSorted()).toEqual(names)
  return names
}

/** Runs a command that must succeed. @returns its output */
async function done(...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await undock(project, ...words)
  expect([words, code, stderr]).toEqual([words, 0, expect.any(String)])
  return stdout + stderr
}

const refused = async (...words: readonly string[]): Promise<[number, string]> => {
  const { code, stderr } = await undock(project, ...words)
  return [code, stderr]
}

describe('on PostgreSQL', () => {
  beforeEach(() => makeNotes())

  test('branches have their own rows, files, users and emails while the backend runs', async () => {
    await startUndock(project)
    await add('first')
    expect(await done('branch', 'create', 'copy')).toContain('Branch copy has a copy of the data of main')
    await add('later')
    expect(await done('branch', 'switch', 'copy')).toContain('The backend restarted')
    expect(await found()).toEqual(['first'])
    await add('other')
    expect(await done('status')).toContain('The backend uses the data of branch copy.')
    expect(await refused('branch', 'delete', 'copy', '--yes')).toEqual([
      1,
      expect.stringContaining('is the current branch'),
    ])
    await done('branch', 'switch', 'main')
    expect(await found()).toEqual(['first', 'later'])
    await done('branch', 'switch', '--create', 'third')
    expect(await found()).toEqual(['first', 'later'])

    expect(await refused('branch', 'delete', 'copy')).toEqual([2, expect.stringContaining('Confirm with --yes')])
    expect(await done('branch', 'delete', 'copy', '--yes')).toContain('`undock undo` brings it back')
    expect(await done('undo', '--yes')).toContain('Branch copy is back with its data.')
    await done('branch', 'switch', 'copy')
    expect(await found()).toEqual(['first', 'other'])
    await done('branch', 'switch', 'third')
    await done('branch', 'delete', 'copy', '--yes', '--no-snapshot')
    const list = JSON.parse((await undock(project, 'branch', 'list', '--output', 'json')).stdout)
    expect(list).toMatchObject([
      { name: 'main', current: false, parent: null, folder: '', size: expect.any(Number) },
      { name: 'third', current: true, parent: 'main', folder: expect.stringMatching(/^states\//) },
    ])
    expect(await readdir(join(project.folder, 'supabase/.undock/states'))).toHaveLength(1)
  })

  test("a killed backend keeps its branch's data intact, also for a branch created from it", async () => {
    const child = await startUndock(project)
    await add('first')
    await end(child, 'SIGKILL')
    await done('branch', 'switch', '--create', 'copy')
    await startUndock(project)
    expect(await found()).toEqual(['first'])
  })

  test('a snapshot is kept until deleted and can be restored repeatedly', async () => {
    const child = await startUndock(project)
    await add('first')
    await done('snapshot', 'save', 'before')
    for (const name of ['second', 'third']) {
      await add(name)
      await done('snapshot', 'restore', 'before', '--yes')
      expect(await found()).toEqual(['first'])
    }
    await end(child, 'SIGINT')
    const replaced = { name: expect.stringMatching(/^undo-/), branch: 'main', command: 'snapshot restore' }
    expect(JSON.parse((await undock(project, 'snapshot', 'list', '-o', 'json')).stdout)).toMatchObject([
      { name: 'before', branch: 'main', createdAt: expect.any(String), size: expect.any(Number) },
      replaced,
      replaced,
    ])
    expect(await done('undo', '--yes')).toContain('from before `snapshot restore`')
    await done('snapshot', 'restore', 'before', '--yes')
    await done('snapshot', 'delete', 'before', '--yes')
    await startUndock(project)
    expect(await found()).toEqual(['first'])
    expect(await refused('snapshot', 'restore', 'before', '--yes')).toEqual([1, expect.stringContaining('no snapshot')])
  })

  test('compares structure and merges it as a migration; rows are only counted', async () => {
    await startUndock(project)
    await done('branch', 'switch', '--create', 'tags')
    await add('one')
    const client = new pg.Client(`postgresql://postgres:postgres@127.0.0.1:${project.ports.SUPABASE_DB_PORT}/postgres`)
    await client.connect()
    await client.query('create table public.tags (name text primary key)')
    await client.end()
    await done('branch', 'switch', 'main')

    const { stdout } = await undock(project, 'branch', 'diff', 'tags', '-o', 'json')
    const { sql, rows } = JSON.parse(stdout)
    expect(sql).toMatch(/create table "?public"?\."?tags"?/i)
    expect(rows).toContainEqual({ table: 'public.notes', current: 0, other: 1 })
    expect(rows).toContainEqual({ table: 'public.tags', current: null, other: 0 })
    expect(await done('branch', 'merge-schema', 'tags')).toContain('_merge_tags.sql')
    const migrations = await readdir(join(project.folder, 'supabase/migrations'))
    expect(migrations).toEqual(['1_notes.sql', expect.stringMatching(/^\d{14}_merge_tags\.sql$/)])
  }, 180_000)

  test('branches follow git if undock.toml says so', async () => {
    git('init', '--quiet', '--initial-branch', 'trunk')
    git('commit', '--quiet', '--allow-empty', '--message', 'first')
    const before = await startUndock(project)
    await add('first')
    await end(before, 'SIGINT')
    await project.write('undock.toml', 'branches = "git"\n')

    const child = await startUndock(project)
    expect(await found()).toEqual(['first'])
    git('switch', '--quiet', '--create', 'work/tags')
    expect(await done('status')).toContain(
      'The backend uses the data of branch trunk, but git has checked out work/tags',
    )
    await done('snapshot', 'save', 'kept')
    expect(await refused('snapshot', 'restore', 'kept', '--yes')).toEqual([
      2,
      expect.stringContaining('git has checked out'),
    ])
    await done('branch', 'switch')
    expect(await found()).toEqual(['first'])
    await add('second')
    git('commit', '--quiet', '--allow-empty', '--message', 'second')
    await end(child, 'SIGINT')

    // The nearest branch is this one's parent, not the last one.
    git('switch', '--quiet', '--create', 'fix', 'trunk')
    const fix = await startUndock(project)
    expect(await found()).toEqual(['first'])
    await end(fix, 'SIGINT')
    git('switch', '--quiet', '--detach', 'work/tags')
    const detached = await startUndock(project)
    expect(await found()).toEqual(['first'])
    expect(await refused('branch', 'switch', 'trunk')).toEqual([2, expect.stringContaining('git switch trunk')])
    await end(detached, 'SIGINT')
    git('switch', '--quiet', 'work/tags')
    await startUndock(project)
    expect(await found()).toEqual(['first', 'second'])
  }, 180_000)

  test('a reset affects the branch checked out in git, not the last one', async () => {
    await project.write('undock.toml', 'branches = "git"\n')
    git('init', '--quiet', '--initial-branch', 'trunk')
    const child = await startUndock(project)
    await add('first')
    await end(child, 'SIGINT')
    git('symbolic-ref', 'HEAD', 'refs/heads/fix')
    await done('reset')
    await startUndock(project)
    expect((await clientOf().from('notes').select()).data).toEqual([])
    git('symbolic-ref', 'HEAD', 'refs/heads/trunk')
    await done('branch', 'switch')
    expect(await found()).toEqual(['first'])
  }, 180_000)

  test.each([true, false])(
    "a new worktree starts with the nearest branch's data; its backend runs: %s",
    async (runs) => {
      await project.write('undock.toml', 'branches = "git"\n')
      git('init', '--quiet', '--initial-branch', 'trunk')
      git('add', '.')
      git('commit', '--quiet', '--message', 'first')
      const child = await startUndock(project)
      await add('first')
      if (!runs) await end(child, 'SIGINT')
      git('worktree', 'add', '--quiet', '-b', 'work', 'below')
      const first = project
      const ports = {
        SUPABASE_API_PORT: await freePort(),
        SUPABASE_DB_PORT: await freePort(),
        SUPABASE_LOCAL_SMTP_PORT: await freePort(),
      }
      const strings = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)]))
      project = { ...first, folder: join(first.folder, 'below'), ports: strings }
      try {
        await startUndock(project)
        expect(await found()).toEqual(['first'])
        await add('second')
        expect(await found()).toEqual(['first', 'second'])
      } finally {
        await endRunning()
        project = first
      }
      expect(await done('snapshot', 'list')).toContain('There are no snapshots.')
      await startUndock(project)
      expect(await found()).toEqual(['first'])
    },
  )
})
