import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { publishRecord } from '../../runtime/place/record.ts'
import { stop } from './stop.ts'

let folder: string
let told: string[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'undock-stop-'))
  vi.stubEnv('UNDOCK_CACHE_DIR', folder)
  told = []
  vi.spyOn(console, 'error').mockImplementation((text) => void told.push(text))
})
afterEach(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true })
})

/** A listed process that does nothing. */
async function listedProcess(name: string) {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1_000)'])
  await once(child, 'spawn')
  const workdir = join(folder, name)
  const startedAt = new Date().toISOString()
  await publishRecord(
    { pid: child.pid ?? 0, startedAt, url: 'http://127.0.0.1:1', workdir, name: null, ports: [] },
    { lockPath: join(workdir, 'lock'), cacheFolder: folder, onUnlisted: (error) => expect.fail(error.message) },
  )
  return { child, workdir }
}

test("stop --all reports another user's process and stops the rest", async () => {
  const [own, foreign] = [await listedProcess('own'), await listedProcess('foreign')]
  const ended = once(own.child, 'exit')
  const kill = process.kill.bind(process)
  vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
    if (pid === foreign.child.pid) throw Object.assign(new Error('not permitted'), { code: 'EPERM' })
    return kill(pid, signal)
  })
  expect(await stop({ all: true, timeout: 20 })).toBe(1)
  expect(told.sort()).toEqual([
    `${foreign.workdir}: Process ${foreign.child.pid} belongs to another user, who must stop it.`,
    `${own.workdir}: Stopped. The data is kept in supabase/.undock.`,
  ])
  expect(await ended).toEqual([null, 'SIGTERM'])
  foreign.child.kill('SIGKILL')
})
