import { fork } from 'node:child_process'
import { mkdirSync, openSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Stack, startStack } from '../stack.ts'
import { stateFolder } from '../state-folders.ts'
import { findWorkdir, parse, parseExclude, UsageError } from './arguments.ts'
import { failureText } from './failure.ts'
import { prettyStatus, showLine, tellEvent, tellStarted } from './report.ts'
import { untilSignal } from './signals.ts'

/** `undock start`: the project's backend until Ctrl-C, or in the background. */
export async function start(args: readonly string[]): Promise<number> {
  const { values } = parse(args, {
    options: {
      workdir: { type: 'string' },
      exclude: { type: 'string', short: 'x', multiple: true, default: [] },
      detach: { type: 'boolean', default: false },
      'db-url': { type: 'string' },
    },
  })
  if (values['db-url']) throw new UsageError('--db-url is not there yet: undock runs on its embedded Postgres only.')
  const workdir = findWorkdir(values.workdir as string | undefined)
  const exclude = values.exclude as string[]
  parseExclude(exclude)
  return values.detach ? startDetached(workdir, exclude) : startHere(workdir, exclude)
}

async function startHere(workdir: string, exclude: readonly string[]): Promise<number> {
  const signal = untilSignal()
  const since = performance.now()
  console.error(`Starting the backend of ${workdir}`)
  let stack: Stack
  try {
    stack = await startStack({ workdir, exclude: parseExclude(exclude), tell: tellEvent, show: showLine })
  } catch (error) {
    process.send?.({ failed: failureText(error) })
    throw error
  }
  tellStarted(stack, since)
  process.send?.({ ready: prettyStatus(stack) })
  await signal
  console.error('\nStopping')
  await stack.stop()
  return 0
}

type ChildMessage = { ready: string } | { failed: string }

/** The same command in a process of its own, whose output goes to a log file; this one ends when it is ready. */
async function startDetached(workdir: string, exclude: readonly string[]): Promise<number> {
  const folder = join(stateFolder(workdir), 'logs')
  mkdirSync(folder, { recursive: true })
  const log = openSync(join(folder, 'undock.log'), 'a')
  const words = ['start', '--workdir', workdir, ...exclude.flatMap((name) => ['--exclude', name])]
  const child = fork(fileURLToPath(new URL(`./main${extname(import.meta.url)}`, import.meta.url)), words, {
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
