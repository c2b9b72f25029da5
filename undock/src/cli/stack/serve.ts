import cluster from 'node:cluster'
import { resolve } from 'node:path'
import { checkExtras, checkNode } from '../../runtime/serve/checks.ts'
import { migrate } from '../../runtime/serve/database.ts'
import { type Node, startNode } from '../../runtime/serve/node.ts'
import { writeNewSecrets } from '../../runtime/serve/secrets.ts'
import { NodeError, type NodeSettings, readNodeSettings } from '../../runtime/serve/settings.ts'
import { serveAsWorker, startWorkers, workersOf } from '../../runtime/serve/workers.ts'
import type { LogLine } from '../../runtime/stack/log-files.ts'
import { type BackendOptions, findBackend } from '../arguments.ts'
import { printEvent } from '../report.ts'
import { ABORTING, exitSoon, untilSignal } from '../signals.ts'
import { limitYoungGeneration } from './memory.ts'

export type ServeOptions = Pick<BackendOptions, 'workdir'> & {
  readonly check: boolean
  readonly migrate: boolean
  readonly newSecrets?: string
  readonly workers?: number
}

/** `undock serve`: runs a node of a backend until a signal. */
export async function serve(options: ServeOptions): Promise<number> {
  const { check, migrate: isMigration, newSecrets, workers, ...rest } = options
  if (newSecrets !== undefined) {
    for (const line of await writeNewSecrets(resolve(newSecrets))) console.log(line)
    return 0
  }
  const { workdir } = findBackend(rest)
  const settings = readNodeSettings(workdir, process.env)
  if (isMigration) {
    await migrate(settings, printEvent)
    console.error('The database is ready: all migrations are applied.')
    return 0
  }
  if (check) {
    const problems = [...(await checkNode(settings)), ...(await checkExtras(settings))]
    if (problems.length > 0) throw new NodeError(problems)
    console.error('All checks passed: this node can serve.')
    return 0
  }
  const show = (line: LogLine): void => console.log(JSON.stringify(line))
  limitYoungGeneration()
  if (cluster.isWorker) return serveWorker(settings, show)
  const count = workers ?? workersOf(settings)
  if (count === 1) {
    process.on('SIGUSR2', () => console.error('SIGUSR2 is ignored: this node is a single process. Restart it.'))
    return serveUntilSignal(await startNode(settings, show))
  }
  const node = await startWorkers(count, settings, (sentence) => console.error(sentence))
  // The worker already reported why.
  if (node === null) return 1
  let replacing = Promise.resolve()
  process.on('SIGUSR2', () => {
    replacing = replacing.then(async () => {
      console.error('SIGUSR2: replacing the workers one after another.')
      const areNew = await node.replace()
      console.error(areNew ? 'All workers are new.' : "A new worker couldn't start, so the others continue.")
    })
  })
  return serveUntilSignal(node)
}

async function serveUntilSignal(node: Pick<Node, 'port' | 'adminPort' | 'drain'>): Promise<number> {
  console.error(`Serving on port ${node.port}; health, readiness and metrics on port ${node.adminPort}.`)
  const signal = await untilSignal()
  console.error(`${signal}: no longer ready; stopping when all requests are answered.`)
  return exitCodeOf(await node.drain())
}

/** The primary process receives signals and forwards them to its workers. */
async function serveWorker(settings: NodeSettings, show: (line: LogLine) => void): Promise<number> {
  for (const signal of [...ABORTING, 'SIGUSR2'] as const) process.on(signal, () => undefined)
  const node = await startNode(settings, show, cluster.worker?.id)
  return exitCodeOf(await serveAsWorker(node))
}

function exitCodeOf(allAnswered: boolean): number {
  exitSoon()
  if (!allAnswered) console.error('Some requests took too long and were cut off.')
  return allAnswered ? 0 : 1
}
