import { findWorkdir, parse, UsageError } from './arguments.ts'
import { statusValues } from './environment.ts'
import { prettyStatus } from './report.ts'
import { findRunning } from './running.ts'

/** `undock status`: URLs and keys of the stack that runs; exit code 1 when none does. */
export async function status(args: readonly string[]): Promise<number> {
  const { values } = parse(args, {
    options: { workdir: { type: 'string' }, output: { type: 'string', short: 'o', default: 'pretty' } },
  })
  const running = await findRunning(findWorkdir(values.workdir as string | undefined))
  switch (values.output) {
    case 'env':
      for (const [name, value] of Object.entries(statusValues(running))) console.log(`${name}="${value}"`)
      return 0
    case 'json':
      console.log(JSON.stringify(statusValues(running), null, 2))
      return 0
    case 'pretty':
      console.log(
        `Running as process ${running.holder.pid} since ${running.holder.startedAt}\n\n${prettyStatus(running)}`,
      )
      return 0
    default:
      throw new UsageError(`-o takes pretty, env or json, not "${values.output}".`)
  }
}
