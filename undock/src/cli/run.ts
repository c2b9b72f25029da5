import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { startStack } from '../stack.ts'
import { findWorkdir, parse, UsageError } from './arguments.ts'
import { commandEnvironment } from './environment.ts'
import { showLine, tellEvent } from './report.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** `undock run -- CMD`: a backend in memory around one command; the exit code is the command's. */
export async function run(args: readonly string[]): Promise<number> {
  const split = args.indexOf('--')
  const command = split === -1 ? [] : args.slice(split + 1)
  const { values } = parse(split === -1 ? args : args.slice(0, split), {
    options: { workdir: { type: 'string' }, ports: { type: 'string', default: 'free' } },
  })
  const ports = values.ports as string
  if (command.length === 0) throw new UsageError('Name the command to run: undock run -- npm test')
  if (ports !== 'free' && ports !== 'config') throw new UsageError(`--ports takes "free" or "config", not "${ports}".`)

  // Whatever comes while the stack starts is kept for the command; the stack itself ends when the command has.
  const received: NodeJS.Signals[] = []
  let forward = (signal: NodeJS.Signals): unknown => received.push(signal)
  for (const signal of SIGNALS) process.on(signal, () => forward(signal))

  const workdir = findWorkdir(values.workdir as string | undefined)
  const stack = await startStack({ workdir, ports, state: 'memory', tell: tellEvent, show: showLine })
  try {
    if (received[0]) return 128 + constants.signals[received[0]]
    return await runCommand(command, { ...process.env, ...commandEnvironment(stack) }, (send) => {
      forward = send
    })
  } finally {
    await stack.stop()
  }
}

function runCommand(
  [file = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  onSignal: (send: (signal: NodeJS.Signals) => void) => void,
): Promise<number> {
  return new Promise((resolve) => {
    // On Windows npm and npx are scripts, which only a shell starts.
    const child = spawn(file, args, { stdio: 'inherit', env, shell: process.platform === 'win32' })
    onSignal((signal) => child.kill(signal))
    child.on('error', (error) => {
      console.error(`${file} could not be started: ${error.message}`)
      resolve(127)
    })
    child.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']))
  })
}
