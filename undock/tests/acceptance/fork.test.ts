import { once } from 'node:events'
import { createClient } from '@supabase/supabase-js'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeProject, type TestProject } from '../support/project.ts'
import { end, endRunning, startUndock, undock } from '../support/undock.ts'

const SECRET = 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'

let project: TestProject
beforeEach(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "fork"\n[edge_runtime]\nenabled = false\n[storage.buckets.files]\npublic = true\n',
    'migrations/1_notes.sql':
      'create table public.notes (text text primary key); grant all on public.notes to service_role;',
  })
})
afterEach(async () => {
  for (const name of ['one', 'two']) await undock(project, 'stop', '--name', name)
  await endRunning()
  await project.remove()
})

const original = () => `http://127.0.0.1:${project.ports.SUPABASE_API_PORT}`

async function urlOf(name: string): Promise<string> {
  const { stdout } = await undock(project, 'status', '--name', name, '-o', 'json')
  return JSON.parse(stdout).API_URL
}

/** Adds a row and a file. */
async function add(url: string, name: string): Promise<void> {
  const client = createClient(url, SECRET)
  expect((await client.from('notes').insert({ text: name })).error).toBeNull()
  expect((await client.storage.from('files').upload(name, name)).error).toBeNull()
}

/** The names whose row and file exist. */
async function found(url: string): Promise<string[]> {
  const client = createClient(url, SECRET)
  const { data } = await client.from('notes').select('text').order('text')
  const names = (data ?? []).map(({ text }) => String(text))
  for (const name of names) {
    const file = await client.storage.from('files').download(name)
    expect(await file.data?.text()).toBe(name)
  }
  return names
}

/** Runs a command. @returns its exit code and what it said. */
async function run(...words: readonly string[]): Promise<string> {
  const { code, stderr } = await undock(project, ...words)
  return `${code} ${stderr}`
}

test('forks run next to the original with its data, and one replaces its data', async () => {
  const running = await startUndock(project)
  await add(original(), 'first')
  expect(await run('fork', 'one')).toMatch(/^0 .*Copied the data/)
  const answer = await fetch(`${original()}/undock/v1/forks`, {
    method: 'POST',
    headers: { apikey: SECRET },
    body: '{"name":"two"}',
  })
  const { url: two } = (await answer.json()) as { url: string }
  const one = await urlOf('one')
  expect(two).toBe(await urlOf('two'))
  await add(one, 'one')
  await add(two, 'two')
  await add(original(), 'other')
  expect([await found(one), await found(two), await found(original())]).toEqual([
    ['first', 'one'],
    ['first', 'two'],
    ['first', 'other'],
  ])

  expect(await run('fork', 'three', '--sleep-after', 'soon')).toMatch(/^2 "soon" is not a valid value/)
  expect(await run('fork', 'one')).toMatch(/^1 The backend "one" already exists/)
  expect(await run('fork', 'keep', 'three', '--yes')).toMatch(/^1 There is no other backend "three"/)
  expect(await run('fork', 'keep', 'one')).toMatch(/^2 Replace the rows.*--yes/)
  expect(await run('fork', 'keep', 'one', '--yes')).toMatch(
    /^0 About to replace the data.*2 rows.*with the data of one/s,
  )
  expect(await found(original())).toEqual(['first', 'one'])
  expect(await run('status', '--name', 'one')).toMatch(/^1 .* is not running/)
  expect(await run('fork', 'delete', 'two', '--yes')).toMatch(/^0 /)
  await expect(fetch(two)).rejects.toThrow()
  expect(await run('undo', '--yes')).toMatch(/^0 .*from before `fork keep`/)
  expect(await found(original())).toEqual(['first', 'other'])

  const ended = once(running, 'exit')
  await end(running, 'SIGTERM')
  await ended
  expect(await run('fork', 'one')).toMatch(/^0 /)
  expect(await found(await urlOf('one'))).toEqual(['first', 'other'])
  expect(await run('fork', 'keep', 'one', '--yes', '--no-snapshot')).toMatch(/^0 .*`undock start` continues/s)
}, 240_000)
