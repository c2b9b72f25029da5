import { prepareWorker } from '../database/engine/spare-worker.ts'
import { UsageError } from './arguments.ts'
import { failureText } from './failure.ts'
import { HELP } from './help.ts'

type Command = (args: readonly string[]) => Promise<number>

/** Commands load what they need when they are called: `status` has no use for a database engine. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => {
    prepareWorker({ isBrief: false })
    return (await import('./start.ts')).start
  },
  run: async () => {
    prepareWorker({ isBrief: true })
    return (await import('./run.ts')).run
  },
  stop: async () => (await import('./stop.ts')).stop,
  status: async () => (await import('./status.ts')).status,
  reset: async () => (await import('./reset.ts')).reset,
  logs: async () => (await import('./logs.ts')).logs,
  db: async () => (await import('./db.ts')).db,
  functions: async () => (await import('./functions.ts')).functions,
}

/** @returns the exit code: 0 done, 1 failed, 2 the words were not understood. */
export async function runCli([name, ...args]: readonly string[]): Promise<number> {
  if (name === undefined || ['help', '--help', '-h'].includes(name)) {
    console.log(HELP)
    return name === undefined ? 2 : 0
  }
  const load = COMMANDS[name]
  if (!load) {
    console.error(`There is no command "${name}".\n\n${HELP}`)
    return 2
  }
  try {
    return await (await load())(args)
  } catch (error) {
    console.error(failureText(error))
    return error instanceof UsageError ? 2 : 1
  }
}
