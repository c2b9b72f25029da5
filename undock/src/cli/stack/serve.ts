import { resolve } from 'node:path'
import { checkExtras, checkNode } from '../../runtime/serve/checks.ts'
import { migrate } from '../../runtime/serve/database.ts'
import { startNode } from '../../runtime/serve/node.ts'
import { writeNewSecrets } from '../../runtime/serve/secrets.ts'
import { NodeError, readNodeSettings } from '../../runtime/serve/settings.ts'
import { type BackendOptions, findBackend } from '../arguments.ts'
import { tellEvent } from '../report.ts'
import { exitSoon, untilSignal } from '../signals.ts'

export type ServeOptions = Pick<BackendOptions, 'workdir'> & {
  readonly check: boolean
  readonly migrate: boolean
  readonly newSecrets?: string
}

/** `undock serve`: runs a node of a backend until a signal. */
export async function serve({ check, migrate: isMigration, newSecrets, ...rest }: ServeOptions): Promise<number> {
  if (newSecrets !== undefined) {
    for (const line of await writeNewSecrets(resolve(newSecrets))) console.log(line)
    return 0
  }
  const { workdir } = findBackend(rest)
  const settings = readNodeSettings(workdir, process.env)
  if (isMigration) {
    await migrate(settings, tellEvent)
    console.error('The database is ready: all migrations are applied.')
    return 0
  }
  if (check) {
    const problems = [...(await checkNode(settings)), ...(await checkExtras(settings))]
    if (problems.length > 0) throw new NodeError(problems)
    console.error('All checks passed: this node can serve.')
    return 0
  }
  const node = await startNode(settings, (line) => console.log(JSON.stringify(line)))
  console.error(`Serving on port ${node.port}; health, readiness and metrics on port ${node.adminPort}.`)
  const signal = await untilSignal()
  console.error(`${signal}: no longer ready; stopping when all requests are answered.`)
  const allAnswered = await node.drain()
  exitSoon()
  if (!allAnswered) console.error('Some requests took too long and were cut off.')
  return allAnswered ? 0 : 1
}
