import { fork } from 'node:child_process'
import { mkdirSync, openSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Stack, type StackOptions, startStack } from '../stack.ts'
import { stateFolder } from '../state-folders.ts'
import { findWorkdir, parse, parseExclude, parsePorts } from './arguments.ts'
import { failureText } from './failure.ts'
import { prettyStatus, showLine, tellEvent, tellStarted } from './report.ts'
import { ENDING_SOON, untilSignal } from './signals.ts'

/** `undock start`: the project's backend until Ctrl-C, or in the background. */
export async function start(args: readonly string[]): Promise<number> {
  const { values } = parse(args, {
    options: {
      workdir: { type: 'string' },
      exclude: { type: 'string', short: 'x', multiple: true, default: [] },
      detach: { type: 'boolean', default: false },
      ports: { type: 'string', default: 'config' },
      host: { type: 'string' },
      https: { type: 'boolean', default: false },
      'db-url': { type: 'string' },
    },
  })
  const ports = parsePorts(values.ports as string)
  const exclude = values.exclude as string[]
  const options: StartOptions = {
    workdir: findWorkdir(values.workdir as string | undefined),
    exclude: parseExclude(exclude),
    ports,
    // The variables by which the same can be said without a flag. An address with a password is in no list of processes.
    env: {
      ...process.env,
      ...(values.host ? { UNDOCK_HOST: values.host as string } : {}),
      ...(values.https ? { SUPABASE_API_TLS_ENABLED: 'true' } : {}),
      ...(values['db-url'] ? { UNDOCK_DATABASE_URL: values['db-url'] as string } : {}),
    },
  }
  return values.detach ? startDetached(options, exclude) : startHere(options)
}

type StartOptions = Required<Pick<StackOptions, 'workdir' | 'exclude' | 'ports' | 'env'>>

async function startHere(options: StartOptions): Promise<number> {
  const signal = untilSignal()
  let isStarting = true
  void signal.then(() => isStarting && console.error(ENDING_SOON))
  const since = performance.now()
  console.error(`Starting the backend of ${options.workdir}`)
  let stack: Stack
  try {
    stack = await startStack({ ...options, tell: tellEvent, show: showLine })
  } catch (error) {
    process.send?.({ failed: failureText(error) })
    throw error
  }
  isStarting = false
  await tellStarted(stack, since)
  process.send?.({ ready: prettyStatus(stack) })
  await signal
  console.error('\nStopping')
  await stack.stop()
  return 0
}

type ChildMessage = { ready: string } | { failed: string }

/** The same command in a process of its own, whose output goes to a log file; this one ends when it is ready. */
async function startDetached({ workdir, ports, env }: StartOptions, exclude: readonly string[]): Promise<number> {
  const folder = join(stateFolder(workdir), 'logs')
  mkdirSync(folder, { recursive: true })
  const log = openSync(join(folder, 'undock.log'), 'a')
  const excluded = exclude.flatMap((name) => ['--exclude', name])
  const words = ['start', '--workdir', workdir, '--ports', ports, ...excluded]
  const child = fork(fileURLToPath(new URL(`./main${extname(import.meta.url)}`, import.meta.url)), words, {
    env,
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  })
  const outcome = await new Promise<ChildMessage>((resolve) => {
    child.once('message', (message) => resolve(message as ChildMessage))
    child.once('exit', (code) =>
      resolve({ failed: `undock ended with code ${code}. Its output is in ${folder}/undock.log` }),
    )
  })
  child.removeAllListeners()
  if ('failed' in outcome) {
    console.error(outcome.failed)
    return 1
  }
  child.disconnect()
  child.unref()
  console.error(`Running in the background as process ${child.pid}; end it with \`undock stop\`.\n\n${outcome.ready}`)
  return 0
}
