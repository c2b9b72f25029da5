import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startStack } from '../../runtime/stack/stack.ts'
import { makeFiles } from '../../testing/files.ts'
import { runCli } from '../run-cli.ts'

const EXCLUDED = ['functions', 'realtime'] as const

test('a reset says what it deletes and can be undone, as can the undo', async () => {
  const workdir = await mkdtemp(join(tmpdir(), 'undock-undo-'))
  onTestFinished(() => rm(workdir, { recursive: true, force: true }))
  await makeFiles(join(workdir, 'supabase'), {
    'config.toml': 'project_id = "undo"',
    'migrations/1_notes.sql': 'create table public.notes (id int primary key);',
  })
  const told: string[] = []
  for (const stream of ['log', 'error'] as const) {
    const said = vi.spyOn(console, stream).mockImplementation((line) => void told.push(String(line)))
    onTestFinished(() => said.mockRestore())
  }
  vi.stubEnv('SUPABASE_DB_URL', undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
  const count = async (added: readonly number[] = []) => {
    const stack = await startStack({ workdir, ports: 'free', exclude: EXCLUDED })
    const notes = createClient(stack.url, stack.identity.keys.secret).from('notes')
    for (const id of added) await notes.insert({ id })
    const { count: found } = await notes.select('*', { count: 'exact', head: true })
    await stack.stop()
    return found
  }

  const undock = (...words: string[]) => runCli([...words, '--workdir', workdir])
  expect(await count([1])).toBe(1)
  expect(await undock('reset', '--no-snapshot')).toBe(0)
  expect(await undock('undo', '--yes')).toBe(2)
  expect(told.at(-1)).toContain('There is nothing to undo')

  expect(await count([1])).toBe(1)
  expect(await undock('reset')).toBe(0)
  expect(told.join('\n')).toMatch(
    /About to delete .*: 1 row in 1 table, 0 users and 0 files\n.*`undock undo` brings it back/,
  )
  expect(await count()).toBe(0)
  for (const expected of [1, 0, 1]) {
    expect(await undock('undo', '--yes')).toBe(0)
    expect(await count()).toBe(expected)
  }
}, 120_000)

test('messages that suggest deleting data mention `undock undo`', async () => {
  const source = join(import.meta.dirname, '../..')
  const texts = (await readdir(source, { recursive: true })).filter((path) => /(?<!\.test)\.ts$/.test(path))
  const found = await Promise.all(
    texts.map(async (path) => {
      const code = (await readFile(join(source, path), 'utf8')).replaceAll(/^ *(?:\/\/|\/?\*).*$/gm, '')
      const advice = [...code.matchAll(/`undock (?:reset|supabase db reset)|(?:npx )?undock reset\\`/g)]
      const isComplete = ({ index }: { index: number }) => /undock undo/.test(code.slice(index - 200, index + 300))
      return advice.every(isComplete) ? [] : [path]
    }),
  )
  expect(found.flat()).toEqual([])
})
