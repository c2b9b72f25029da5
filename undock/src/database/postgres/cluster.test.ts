import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { makeEphemeralFolder } from '../../platform/folders.ts'
import { isAlive } from '../../platform/process.ts'

const SCRIPT = `
  import { readFileSync } from 'node:fs'
  const { startCluster } = await import(${JSON.stringify(new URL('./cluster.ts', import.meta.url).href)})
  const folder = process.argv[1]
  await startCluster({ major: 17, folder, host: '127.0.0.1', port: 0, isDurable: false, settings: {}, log: () => undefined })
  console.log(readFileSync(folder + '/postmaster.pid', 'utf8').split('\\n')[0])
  process.exit(3)
`

test('a process stops its servers when it exits', async () => {
  const folder = await makeEphemeralFolder()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const long = join(await mkdtemp(join(tmpdir(), 'undock-long-')), 'x'.repeat(80))
  await mkdir(long)
  onTestFinished(() => rm(dirname(long), { recursive: true, force: true }))
  // The second start finds a folder that others may read, and a path too long for a socket.
  for (const env of [process.env, { ...process.env, TMPDIR: long }]) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env,
    })
    const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
    expect(code).toBe(3)
    expect(Number(printed)).toBeGreaterThan(0)
    await expect.poll(() => isAlive(Number(printed)), { timeout: 20_000 }).toBe(false)
    await chmod(folder, 0o755)
  }
})
