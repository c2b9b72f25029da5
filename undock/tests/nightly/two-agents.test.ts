import { execFileSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { COMMAND } from '../support/paths.ts'
import { makeProject, type TestProject } from '../support/project.ts'

// Follows docs/guides/two-agents.md: runs its commands in order in its folders.

const PAGE = new URL('../../docs/guides/two-agents.md', import.meta.url)
let project: TestProject
let main: string
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  project = await makeProject({})
  main = join(project.folder, 'main')
  // Ports that no other test uses; a worktree must detect that they are in use and choose others.
  const { SUPABASE_API_PORT, SUPABASE_DB_PORT, SUPABASE_STUDIO_PORT, SUPABASE_LOCAL_SMTP_PORT } = project.ports
  const config = `project_id = "two-agents"
[api]
port = ${SUPABASE_API_PORT}
[db]
port = ${SUPABASE_DB_PORT}
[studio]
port = ${SUPABASE_STUDIO_PORT}
[local_smtp]
port = ${SUPABASE_LOCAL_SMTP_PORT}
[edge_runtime]
enabled = false
`
  await mkdir(join(main, 'supabase/migrations'), { recursive: true })
  await writeFile(join(main, 'supabase/config.toml'), config)
  await writeFile(
    join(main, 'supabase/migrations/20260101000000_notes.sql'),
    'create table public.notes (id bigint primary key);\n',
  )
  await writeFile(join(main, '.gitignore'), '.undock\n')
  // Makes `npx undock` run this undock.
  const bin = join(project.folder, 'bin')
  await mkdir(bin)
  await writeFile(join(bin, 'npx'), `#!/bin/sh\nshift\nexec "${process.execPath}" "${COMMAND}" "$@"\n`, { mode: 0o755 })
  const author = { NAME: 'A', EMAIL: 'a@example.org' }
  env = { ...process.env, PATH: `${bin}:${process.env.PATH}` }
  for (const [name, value] of Object.entries(author))
    Object.assign(env, { [`GIT_AUTHOR_${name}`]: value, [`GIT_COMMITTER_${name}`]: value })
  const git = (...words: string[]) => execFileSync('git', ['-C', main, ...words], { env, stdio: 'pipe' })
  git('init', '--quiet', '--initial-branch', 'main')
  git('add', '-A')
  git('commit', '--quiet', '-m', 'first')
})
afterAll(async () => {
  for (const folder of ['tags', 'likes', 'main'])
    try {
      execFileSync('npx', ['undock', 'stop'], { cwd: join(project.folder, folder), env, stdio: 'pipe' })
    } catch {
      // Already stopped, or its worktree was deleted.
    }
  await project.remove()
})

type Block = { readonly folder: string; readonly commands: string }

test("the page's commands do what it says", { timeout: 300_000 }, async () => {
  const page = await readFile(PAGE, 'utf8')
  const blocks = [...page.matchAll(/```sh(?: in (\S+))?\n([\s\S]*?)```/g)].map(
    ([, folder = '.', commands = '']): Block => ({ folder: resolve(main, folder), commands }),
  )
  expect(blocks.length).toBeGreaterThan(6)
  const said = blocks.map(({ folder, commands }) =>
    execFileSync('sh', ['-e', '-c', `{\n${commands.trim()}\n} 2>&1`], { cwd: folder, env, encoding: 'utf8' }),
  )
  const all = said.join('\n')
  expect(all).toMatch(/on branch add-tags, with a copy of the data of main/)
  const port = /API_URL="http:\/\/127\.0\.0\.1:(\d+)"/.exec(all)?.[1]
  expect(port).toMatch(/^\d+$/)
  expect(port).not.toBe(project.ports.SUPABASE_API_PORT)
  expect(all).toMatch(/20260201000000_likes\.sql and \S*20260201000000_tags\.sql have the same version/)
  expect(all).toMatch(/Applied supabase\/migrations\/\d+_likes\.sql/)
  expect(all).toMatch(/Applied supabase\/migrations\/\d+_tags\.sql/)
})
