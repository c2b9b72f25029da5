import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { UsageError } from '../arguments.ts'
import { writeMigrations } from './migration.ts'

let workdir: string
beforeEach(async () => {
  workdir = await mkdtemp(join(tmpdir(), 'undock-migrations-'))
  vi.useFakeTimers({ now: Date.parse('2026-01-31T23:59:59.500Z'), toFake: ['Date'] })
})
afterEach(async () => {
  vi.useRealTimers()
  await rm(workdir, { recursive: true })
})

test('several transactions become migrations one second apart, at unused versions', async () => {
  const folder = join(workdir, 'supabase/migrations')
  await mkdir(folder, { recursive: true })
  // The second script would get this version if the first one had the current second.
  await writeFile(join(folder, '20260201000000_there.sql'), 'select 1;')
  const made = await writeMigrations(workdir, 'moods', [
    { suffix: '_1', text: 'first;' },
    { suffix: '_2', text: 'second;' },
  ])
  expect(made.map(({ path }) => path)).toEqual([
    join('supabase', 'migrations', '20260201000001_moods_1.sql'),
    join('supabase', 'migrations', '20260201000002_moods_2.sql'),
  ])
  expect(await readFile(join(workdir, made[1]?.path ?? ''), 'utf8')).toBe('second;\n')
})

test.each(['', '../outside', 'a\\b'])('rejects the name "%s"', async (name) => {
  await expect(writeMigrations(workdir, name, [{ suffix: '', text: 'x;' }])).rejects.toThrow(UsageError)
})
