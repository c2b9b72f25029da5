import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startStack } from '../../runtime/stack/stack.ts'
import { makeFiles } from '../../testing/files.ts'
import { runCli } from '../run-cli.ts'

const EXCLUDED = ['functions', 'realtime'] as const

test('a reset says what it deletes and can be undone, once', async () => {
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

  expect(await count([1])).toBe(1)
  expect(await runCli(['reset', '--workdir', workdir])).toBe(0)
  expect(told.join('\n')).toMatch(/about to be replaced[\s\S]*`undock undo` brings it back/)
  expect(await count()).toBe(0)
  expect(await runCli(['undo', '--yes', '--workdir', workdir])).toBe(0)
  expect(await count()).toBe(1)
  expect(await runCli(['undo', '--yes', '--workdir', workdir])).toBe(2)
  expect(told.at(-1)).toContain('There is nothing to undo')

  expect(await runCli(['reset', '--no-snapshot', '--workdir', workdir])).toBe(0)
  expect(await runCli(['undo', '--yes', '--workdir', workdir])).toBe(2)
}, 120_000)
