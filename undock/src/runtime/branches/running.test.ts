import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { openTestDatabase } from '../../testing/database.ts'
import { SERVICES, type StackOptions } from '../stack/options.ts'
import { type Stack, startStack } from '../stack/stack.ts'
import type { RunningBranches } from './control.ts'
import { copyOptions } from './difference.ts'
import { loadRegistry } from './registry.ts'

let workdir: string
let root: string
const stacks: Stack[] = []
beforeEach(async () => {
  workdir = await mkdtemp(join(tmpdir(), 'undock-running-branches-'))
  root = join(workdir, 'supabase/.undock')
  await mkdir(join(workdir, 'supabase'))
  await writeFile(join(workdir, 'supabase/config.toml'), 'project_id = "running"\n[edge_runtime]\nenabled = false\n')
})
afterEach(async () => {
  for (const stack of stacks.splice(0).reverse()) await stack.stop()
  await rm(workdir, { recursive: true })
})

async function start(options: Partial<StackOptions> = {}): Promise<Stack> {
  const stack = await startStack({ workdir, ports: 'free', ...options })
  stacks.push(stack)
  return stack
}

async function ask({ url, identity }: Stack, change: unknown, key = identity.keys.secret): Promise<[number, string]> {
  const response = await fetch(`${url}/undock/v1/branches`, {
    method: 'POST',
    headers: { apikey: key },
    body: JSON.stringify(change),
  })
  const { message, status } = (await response.json()) as { message?: string; status?: string }
  return [response.status, message ?? status ?? '']
}

const list = async ({ url, identity }: Stack): Promise<RunningBranches> =>
  (await (
    await fetch(`${url}/undock/v1/branches`, { headers: { apikey: identity.keys.secret } })
  ).json()) as RunningBranches

test("applies changes that need no restart, and rejects others if the stack can't restart itself", async () => {
  const stack = await start()
  expect(await ask(stack, { do: 'create', name: 'copy' })).toEqual([200, 'done'])
  expect(await ask(stack, { do: 'save-snapshot', name: 'kept' })).toEqual([200, 'done'])
  expect(await ask(stack, { do: 'switch', name: 'main' })).toEqual([200, 'done'])
  for (const change of [
    { do: 'switch', name: 'copy' },
    { do: 'switch', name: 'new', create: true },
    { do: 'restore-snapshot', name: 'kept' },
  ])
    expect(await ask(stack, change)).toEqual([409, expect.stringContaining('cannot start again by itself')])
  expect(loadRegistry(root)).toMatchObject({
    current: 'main',
    branches: [{ name: 'main' }, { name: 'copy' }],
    snapshots: [{ name: 'kept' }],
  })
  const listed = await list(stack)
  expect(listed).toMatchObject({
    branches: [
      { name: 'main', current: true, parent: null },
      { name: 'copy', current: false, parent: 'main' },
    ],
    snapshots: [{ name: 'kept', branch: 'main' }],
    restartRefusal: expect.stringContaining('cannot start again by itself'),
    git: null,
  })
  const sizes = [...listed.branches, ...listed.snapshots].map(({ size }) => size)
  expect(Math.min(...sizes)).toBeGreaterThan(1024 ** 2)
})

test('a copy includes transactions committed just before', async () => {
  const stack = await start()
  await stack.db.exec('create table public.notes (id int); insert into public.notes select generate_series(1, 1000)')
  await ask(stack, { do: 'create', name: 'copy' })
  await stack.db.exec('insert into public.notes select generate_series(1, 1000)')
  const { branches } = loadRegistry(root)
  const copy = await start(copyOptions(workdir, join(root, branches[1]?.folder ?? '')))
  const { rows } = await copy.db.query({ text: 'select count(*)::int as count from public.notes', values: [] })
  expect(rows).toEqual([{ count: 1000 }])
})

test('changes run one after another and exclude a reset', async () => {
  const stack = await start()
  const names = ['a', 'b', 'c']
  const [, ...answers] = await Promise.all([stack.reset(), ...names.map((name) => ask(stack, { do: 'create', name }))])
  expect(answers).toEqual(names.map(() => [200, 'done']))
  expect(
    loadRegistry(root)
      .branches.map(({ name }) => name)
      .toSorted(),
  ).toEqual(['a', 'b', 'c', 'main'])
  expect(await readdir(join(root, 'states'))).toHaveLength(3)
})

test('rejects an in-memory stack, unauthorized callers and malformed changes', async () => {
  const stack = await start()
  const passing = await start({ state: 'memory' })
  expect(await ask(passing, { do: 'create', name: 'copy' })).toEqual([409, expect.stringContaining('keeps no data')])
  const { publishable } = stack.identity.keys
  expect(await ask(stack, { do: 'create', name: 'copy' }, publishable)).toEqual([403, expect.any(String)])
  for (const change of [{}, { do: 'create' }, { do: 'drop', name: 'x' }, { do: 'create', name: 1 }, []])
    expect(await ask(stack, change)).toEqual([400, expect.stringContaining('cannot be used')])
  expect(await ask(stack, { do: 'delete', name: 'nothing' })).toEqual([
    409,
    expect.stringContaining('There is no branch'),
  ])
})

test("doesn't copy an external database", async () => {
  const server = await openTestDatabase()
  onTestFinished(server.close)
  const stack = await start({ engine: { url: server.url }, exclude: SERVICES })
  expect(await ask(stack, { do: 'create', name: 'copy' })).toEqual([
    409,
    expect.stringContaining('undock did not start'),
  ])
  expect(loadRegistry(root).branches).toHaveLength(1)
})
