import { spawnSync } from 'node:child_process'
import { afterEach, expect, test } from 'vitest'
import { makeProject, type TestProject } from '../support/project.ts'
import { endRunning, undock } from '../support/undock.ts'

const CONFIG = 'project_id = "many"\n[edge_runtime]\nenabled = false\n'

const cleaning: Array<() => Promise<unknown>> = []
afterEach(async () => {
  await endRunning()
  for (const clean of cleaning.splice(0).reverse()) await clean()
})

async function project(files: Record<string, string> = {}): Promise<TestProject> {
  const made = await makeProject({ 'config.toml': CONFIG, ...files })
  cleaning.push(made.remove)
  return made
}

function git(folder: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
  const { status, stdout, stderr } = spawnSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' })
  expect([status, status === 0 ? '' : stderr]).toEqual([0, ''])
  return stdout
}

test('`git add .` takes nothing of what run and start keep', async () => {
  const made = await project()
  git(made.folder, 'init', '--quiet')
  expect((await undock(made, 'run', '--', 'true')).code).toBe(0)
  expect(git(made.folder, 'status', '--porcelain', '--untracked-files=all')).toBe('?? supabase/config.toml\n')
  expect((await undock(made, 'start', '--detach')).code).toBe(0)
  expect((await undock(made, 'stop')).code).toBe(0)
  git(made.folder, 'add', '.')
  expect(git(made.folder, 'ls-files')).toBe('supabase/config.toml\n')
})
