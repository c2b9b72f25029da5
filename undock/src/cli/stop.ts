import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from '../kernel/process.ts'
import { findWorkdir, parse } from './arguments.ts'
import { findHolder } from './running.ts'

const PATIENCE = 15_000
const STEP = 50

/** `undock stop`: asks the running stack to end and waits until it has. */
export async function stop(args: readonly string[]): Promise<number> {
  const { values } = parse(args, { options: { workdir: { type: 'string' } } })
  const holder = await findHolder(findWorkdir(values.workdir as string | undefined))
  process.kill(holder.pid, 'SIGTERM')
  for (let waited = 0; waited < PATIENCE; waited += STEP) {
    if (!isAlive(holder.pid)) {
      console.error('Stopped. The data stays in supabase/.undock.')
      return 0
    }
    await sleep(STEP)
  }
  console.error(`Process ${holder.pid} did not end within ${PATIENCE / 1_000} s. End it by hand: kill -9 ${holder.pid}`)
  return 1
}
