import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isInLinkedWorktree } from './port-assignment.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'undock-worktree-'))
})
afterEach(() => rm(folder, { recursive: true }))

function git(...words: readonly string[]): void {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
  const { status, stderr } = spawnSync('git', [...identity, ...words], { cwd: folder, encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, expect.any(String)])
}

test('distinguishes a checkout from a linked worktree, also in a subfolder', async () => {
  git('init', '--quiet', 'first')
  git('-C', 'first', 'commit', '--quiet', '--allow-empty', '--message', 'empty')
  git('-C', 'first', 'worktree', 'add', '--quiet', '../second')
  for (const name of ['first', 'second']) await mkdir(join(folder, name, 'packages', 'backend'), { recursive: true })
  expect(await isInLinkedWorktree(join(folder, 'first'))).toBe(false)
  expect(await isInLinkedWorktree(join(folder, 'first/packages/backend'))).toBe(false)
  expect(await isInLinkedWorktree(join(folder, 'second'))).toBe(true)
  expect(await isInLinkedWorktree(join(folder, 'second/packages/backend'))).toBe(true)
})

test.each([
  ['a submodule', 'gitdir: ../.git/modules/backend\n', false],
  ['a worktree of a submodule', 'gitdir: /repo/.git/modules/backend/worktrees/second\n', true],
  ['a repository whose folder is elsewhere', 'gitdir: /elsewhere/repository\n', false],
  ['a worktree on Windows', 'gitdir: C:\\repo\\.git\\worktrees\\second\n', true],
  ['another file', 'nothing', false],
])('%s', async (_case, text, expected) => {
  await writeFile(join(folder, '.git'), text)
  expect(await isInLinkedWorktree(folder)).toBe(expected)
})
