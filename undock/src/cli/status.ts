import { findWorkdir, parse, UsageError } from './arguments.ts'
import { STATUS_NAMES, type StatusKey, statusVariables } from './environment.ts'
import { prettyStatus } from './report.ts'
import { findRunning } from './running.ts'

/** `undock status`: URLs and keys of the stack that runs; exit code 1 when none does. */
export async function status(args: readonly string[]): Promise<number> {
  const { values } = parse(args, {
    options: {
      workdir: { type: 'string' },
      output: { type: 'string', short: 'o', default: 'pretty' },
      'override-name': { type: 'string', multiple: true, default: [] },
    },
  })
  const renamed = parseNames(values['override-name'] as string[])
  const running = await findRunning(findWorkdir(values.workdir as string | undefined))
  switch (values.output) {
    case 'env':
      for (const [name, value] of Object.entries(statusVariables(running, renamed))) console.log(`${name}="${value}"`)
      return 0
    case 'json':
      console.log(JSON.stringify(statusVariables(running, renamed), null, 2))
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

function parseNames(values: readonly string[]): Partial<Record<StatusKey, string>> {
  const pairs = values
    .flatMap((value) => value.split(','))
    .map((value) => {
      const [key = '', name = ''] = value.split('=', 2).map((part) => part.trim())
      if (!Object.hasOwn(STATUS_NAMES, key) || !/^[A-Za-z_]\w*$/.test(name)) {
        const known = Object.keys(STATUS_NAMES).join(', ')
        throw new UsageError(`--override-name takes KEY=NAME, not "${value}". The keys are ${known}.`)
      }
      return [key, name]
    })
  return Object.fromEntries(pairs)
}
