import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFiles } from '../../undock/src/testing/files.ts'

const run = promisify(execFile)
const SCRIPT = join(import.meta.dirname, '../../scripts/release.ts')
const PACKAGE = `${JSON.stringify({ name: 'x', version: '0.1.0' }, null, 2)}\n`
const PACKAGES = ['', 'undock/', 'undock/packages/create-undock/', 'undock/packages/vite-plugin-undock/']

let folder: string
const git = async (...args: string[]) => (await run('git', args, { cwd: folder })).stdout.trim()
const release = (...args: string[]) =>
  run(process.execPath, [SCRIPT, ...args], { env: { ...process.env, RELEASE_ROOT: folder } }).then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, text: stderr }),
  )

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'release-'))
  await makeFiles(folder, {
    ...Object.fromEntries(PACKAGES.map((folder) => [`${folder}package.json`, PACKAGE])),
    'package-lock.json': JSON.stringify({ version: '0.1.0', packages: { '': {}, undock: {} } }),
    'CHANGELOG.md': '# Changelog\n\n## Unreleased\n\n### Added\n\n- A lamp.\n\n## 0.1.0 (2026-01-01)\n\n- The first.\n',
  })
  await git('init', '--quiet', '--initial-branch=main')
  await git('config', 'user.email', 'a@example.com')
  await git('config', 'user.name', 'A')
  await git('add', '--all')
  await git('commit', '--quiet', '--message', 'first')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('a release needs a newer version, a clean worktree and the main branch', async () => {
  expect(await release('0.1.0')).toEqual({ code: 1, text: '0.1.0 is not newer than 0.1.0.\n' })
  expect(await release('next')).toMatchObject({ code: 1, text: expect.stringContaining('npm run release -- VERSION') })
  await writeFile(join(folder, 'new.txt'), 'x')
  expect(await release('0.2.0')).toMatchObject({ code: 1, text: expect.stringContaining('uncommitted') })
  await rm(join(folder, 'new.txt'))
  await git('switch', '--quiet', '--create', 'other')
  expect(await release('0.2.0')).toMatchObject({ code: 1, text: expect.stringContaining('main') })
  await git('switch', '--quiet', 'main')
})

test('a release dates its section, updates all packages, commits and tags', async () => {
  expect(await release('0.10.0')).toMatchObject({ code: 0 })
  expect(await git('status', '--porcelain')).toBe('')
  expect(await git('log', '-1', '--format=%s')).toBe('chore(release): v0.10.0')
  expect(await git('tag', '--list', '--format=%(contents)')).toContain('- A lamp.')
  for (const one of PACKAGES)
    expect(JSON.parse(await readFile(join(folder, one, 'package.json'), 'utf8'))).toEqual({
      name: 'x',
      version: '0.10.0',
    })
  const { packages } = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'))
  expect(packages).toEqual({ '': { version: '0.10.0' }, undock: { version: '0.10.0' } })
  const changelog = await readFile(join(folder, 'CHANGELOG.md'), 'utf8')
  expect(changelog).toMatch(/## Unreleased\n\n## 0\.10\.0 \(\d{4}-\d\d-\d\d\)\n\n### Added\n\n- A lamp\./)
  expect(await release('0.11.0')).toMatchObject({ code: 1, text: expect.stringContaining('nothing under') })
})
