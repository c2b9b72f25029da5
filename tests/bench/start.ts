import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ended, freePort } from '../../undock/bench/peers.ts'
import { proportionalMemory } from '../../undock/bench/processes.ts'
import { median, megabytes, milliseconds, table } from '../../undock/bench/table.ts'

const ROUNDS = 5
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const UNDOCK = fileURLToPath(new URL('../../undock/bin/undock.js', import.meta.url))

/** Times an empty `undock run`, and `undock start` until the first response, for Carrel's project with a snapshot. */
export async function benchStart(): Promise<string> {
  await timeRun()
  const runs: number[] = []
  const starts: Started[] = []
  await timeStart()
  for (let round = 0; round < ROUNDS; round++) {
    runs.push(await timeRun())
    starts.push(await timeStart())
  }
  return table(
    ['', 'median', 'best', 'worst'],
    [
      summary('`undock run -- node -e ""`, warm snapshot', runs, milliseconds),
      summary(
        '`undock start`, known project, to the first request served',
        starts.map(({ time }) => time),
        milliseconds,
      ),
      summary(
        'memory (PSS), idle, with Deno',
        starts.map(({ memory }) => memory),
        megabytes,
      ),
    ],
  )
}

const summary = (name: string, values: readonly number[], show: (value: number) => string): string[] => [
  name,
  show(median(values)),
  show(Math.min(...values)),
  show(Math.max(...values)),
]

async function timeRun(): Promise<number> {
  const started = performance.now()
  const child = spawn(process.execPath, [UNDOCK, 'run', '--workdir', ROOT, '--', process.execPath, '-e', ''], {
    stdio: 'ignore',
  })
  if ((await ended(child)) !== 0) throw new Error('undock run failed')
  return performance.now() - started
}

type Started = { readonly time: number; readonly memory: number }

async function timeStart(): Promise<Started> {
  const port = await freePort()
  const ports = {
    SUPABASE_API_PORT: String(port),
    SUPABASE_DB_PORT: String(await freePort()),
    SUPABASE_STUDIO_PORT: String(await freePort()),
    SUPABASE_LOCAL_SMTP_PORT: String(await freePort()),
  }
  const started = performance.now()
  const child = spawn(process.execPath, [UNDOCK, 'start', '--workdir', ROOT], {
    stdio: 'ignore',
    env: { ...process.env, ...ports },
  })
  for (;;) {
    const isServed = await fetch(`http://127.0.0.1:${port}/rest/v1/`, {
      headers: { apikey: 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz' },
    }).then(
      (response) => response.ok,
      () => false,
    )
    if (isServed) break
    if (child.exitCode !== null) throw new Error('undock start ended: is it running for this project already?')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const time = performance.now() - started
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  const memory = await proportionalMemory(child.pid as number)
  child.kill('SIGTERM')
  await ended(child)
  return { time, memory }
}
