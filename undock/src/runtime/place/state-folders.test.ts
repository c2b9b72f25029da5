import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startStack } from '../stack/stack.ts'
import { ephemeralState, makeStateFolder, StateFolderError } from './state-folders.ts'

let workdir: string
beforeEach(async () => {
  workdir = await mkdtemp(join(tmpdir(), 'undock-state-'))
  await mkdir(join(workdir, 'supabase'))
})
afterEach(() => rm(workdir, { recursive: true }))

const start = (name: string | null = null) => startStack({ workdir, name, ports: 'free' })

test.each(['.undock', ...['storage', 'database', 'mail', 'logs', 'snapshots'].map((name) => `.undock/${name}`)])(
  'start reports that %s is a file',
  async (path) => {
    if (path !== '.undock') await mkdir(join(workdir, 'supabase/.undock'))
    await writeFile(join(workdir, 'supabase', path), '')
    await expect(start()).rejects.toThrow(StateFolderError)
    await expect(start()).rejects.toThrow(
      `${join(workdir, 'supabase', path)} is not a folder, but undock needs this path for its files.`,
    )
  },
)

test('start reports a dangling link as folder and a folder as lock', async () => {
  await mkdir(join(workdir, 'supabase/.undock/lock'), { recursive: true })
  await expect(start()).rejects.toThrow('lock is not a file')
  await symlink(join(workdir, 'elsewhere'), join(workdir, 'supabase/.undock/storage'))
  await expect(start()).rejects.toThrow('storage: it is a broken link (ENOENT)')
})

test("git ignores undock's folder unless it has its own .gitignore", async () => {
  const ignored = () => readFile(join(workdir, 'supabase/.undock/.gitignore'), 'utf8')
  await (await ephemeralState(workdir)).discard()
  expect(await ignored()).toBe('*\n')
  await writeFile(join(workdir, 'supabase/.undock/.gitignore'), 'logs/\n')
  await makeStateFolder(workdir)
  expect(await ignored()).toBe('logs/\n')
})

test('a state folder that came with a repository is refused', async () => {
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', workdir, '-c', 'user.name=a', '-c', 'user.email=a@b', ...words])
  await makeStateFolder(workdir)
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'a', '--allow-empty')
  await makeStateFolder(workdir)
  git('add', '-f', 'supabase/.undock')
  git('commit', '-qm', 'b')
  await expect(start()).rejects.toThrow('.undock was committed to git.')
  // What runs without own data doesn't use what the folder keeps either.
  const { snapshots, discard } = await ephemeralState(workdir)
  await discard()
  expect(snapshots).not.toContain(workdir)
  git('rm', '-rq', '--cached', 'supabase/.undock')
  git('commit', '-qm', 'c', '--allow-empty')
  await makeStateFolder(workdir)
})

test('run stores nothing in a project with a read-only undock folder', async () => {
  const { snapshots, discard } = await ephemeralState(workdir)
  await discard()
  expect(snapshots).toBe(join(workdir, 'supabase/.undock/snapshots'))
  await rm(snapshots, { recursive: true })
  await symlink(join(workdir, 'elsewhere'), snapshots)
  const state = await ephemeralState(workdir)
  await state.discard()
  expect(state.snapshots).toBe(join(state.ephemeral, 'snapshots'))
})

test.each(['..', 'a/b', 'a b', 'é', '', 'a'.repeat(64)])('rejects "%s" as a backend name', async (name) => {
  await expect(start(name)).rejects.toThrow(StateFolderError)
})

test("a named backend doesn't use the default one's database from undock.toml", async () => {
  await writeFile(join(workdir, 'supabase/undock.toml'), 'database_url = "postgresql://127.0.0.1:1/postgres"')
  await expect(start('two')).rejects.toThrow('it has its own data.\nSet another database with --db-url')
})
