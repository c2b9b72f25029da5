import { constants } from 'node:os'
import { startStack } from '../stack.ts'
import { findWorkdir, parse, parsePorts, UsageError } from './arguments.ts'
import { prepareCommand } from './command.ts'
import { commandEnvironment } from './environment.ts'
import { showLine, tellEvent } from './report.ts'
import { ENDING_SOON } from './signals.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** `undock run -- CMD`: a backend in memory around one command; the exit code is the command's. */
export async function run(args: readonly string[]): Promise<number> {
  const split = args.indexOf('--')
  const words = split === -1 ? [] : args.slice(split + 1)
  const { values } = parse(split === -1 ? args : args.slice(0, split), {
    options: { workdir: { type: 'string' }, ports: { type: 'string', default: 'free' } },
  })
  const ports = parsePorts(values.ports as string)
  if (words.length === 0) throw new UsageError('Name the command to run: undock run -- npm test')
  const workdir = findWorkdir(values.workdir as string | undefined)

  const command = prepareCommand(words)
  // A signal ends the command; the stack ends when the command has.
  const received: NodeJS.Signals[] = []
  let isStarting = true
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (isStarting && received.length > 0) process.exit(128 + constants.signals[signal])
      received.push(signal)
      command.kill(signal)
      if (isStarting) console.error(ENDING_SOON)
    })
  }
  try {
    const stack = await startStack({ workdir, ports, state: 'memory', tell: tellEvent, show: showLine })
    isStarting = false
    try {
      if (received[0]) return 128 + constants.signals[received[0]]
      return await command.run(commandEnvironment(stack))
    } finally {
      await stack.stop()
    }
  } finally {
    command.cancel()
  }
}
