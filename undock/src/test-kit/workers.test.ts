import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { makeFiles } from '../testing/files.ts'

const WORKER = fileURLToPath(new URL('../testing/stack-worker.ts', import.meta.url))
/** Milliseconds for six first starts on a busy machine. */
const TIMEOUT = 300_000
const NAMES = ['ada', 'bob', 'eve']

const report = async (worker: ChildProcess): Promise<unknown> => {
  const ended = once(worker, 'exit').then(([code]) => {
    throw new Error(`A worker ended with code ${code}`)
  })
  ended.catch(() => undefined)
  const [message] = await Promise.race([once(worker, 'message'), ended])
  return message
}

test(
  "parallel workers with unprepared stacks don't affect each other",
  async () => {
    const workdir = await mkdtemp(join(tmpdir(), 'undock-workers-'))
    onTestFinished(() => rm(workdir, { recursive: true, force: true }))
    await makeFiles(join(workdir, 'supabase'), {
      'config.toml': '[storage.buckets.docs]',
      'migrations/1_notes.sql': 'create table public.notes (name text primary key)',
    })
    const workers = NAMES.map((name) => fork(WORKER, [workdir, name], { execArgv: [] }))
    onTestFinished(async () => {
      for (const worker of workers) worker.kill('SIGKILL')
    })
    const done = await Promise.all(workers.map(report))
    expect(new Set(done.map((one) => (one as { url: string }).url)).size).toBe(NAMES.length)
    const held = workers.map(report)
    const ends = workers.map((worker) => once(worker, 'exit'))
    for (const worker of workers) worker.send('continue')
    const after = { rows: [], users: [], files: [], mails: 0 }
    expect(await Promise.all(held)).toEqual(
      NAMES.map((name) => ({
        kind: 'held',
        before: { rows: [{ name }], users: [`${name}@example.com`], files: [name], mails: 1 },
        after,
      })),
    )
    expect((await Promise.all(ends)).map(([code]) => code)).toEqual(NAMES.map(() => 0))
  },
  TIMEOUT,
)
