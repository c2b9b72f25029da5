import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Writable } from 'node:stream'
import { userCacheFolder } from '../../platform/folders.ts'
import { startable } from '../../platform/process.ts'
import { startStack } from '../../runtime/stack/stack.ts'
import { findWorkdir, UsageError } from '../arguments.ts'
import { printEvent, quote, showLine } from '../report.ts'
import { ABORTING, abortStart, exitSoon } from '../signals.ts'
import { writeShim } from '../supabase/cli.ts'
import { commandEnvironment } from './environment.ts'

export type RunOptions = { readonly workdir?: string; readonly ports: 'free' | 'config' }

/** `undock run -- CMD`: starts a backend in memory for one command; the exit code is the command's. */
export async function run(options: RunOptions, words: readonly string[]): Promise<number> {
  if (words.length === 0) throw new UsageError('Add the command to run: undock run -- npm test')
  const workdir = findWorkdir(options.workdir)

  const command = prepareCommand(words)
  // A signal ends the command first, then the stack.
  const received: NodeJS.Signals[] = []
  let isStarting = true
  const starting = new AbortController()
  let ended = (): void => undefined
  for (const signal of ABORTING) {
    process.on(signal, () => {
      if (isStarting && received.length > 0) process.exit(128 + constants.signals[signal])
      received.push(signal)
      command.kill(signal)
      if (isStarting) ended = abortStart(starting)
    })
  }
  try {
    const { ports } = options
    const stack = await startStack({
      workdir,
      ports,
      state: 'memory',
      tell: printEvent,
      show: showLine,
      aborted: starting.signal,
    }).finally(() => ended())
    isStarting = false
    try {
      if (received[0]) return 128 + constants.signals[received[0]]
      return await command.run({ ...commandEnvironment(stack), PATH: withShim() })
    } finally {
      await stack.stop()
    }
  } finally {
    command.cancel()
    exitSoon()
  }
}

/** The PATH with undock's `supabase` in front. */
function withShim(): string {
  const folder = join(userCacheFolder(process.env), 'bin')
  writeShim(folder)
  return [folder, process.env.PATH].filter(Boolean).join(delimiter)
}

/** A command that will run once its environment is known. */
type Command = {
  /** Runs it. Resolves with its exit code. */
  run(env: Readonly<Record<string, string>>): Promise<number>
  kill(signal: NodeJS.Signals): void
  /** Abandons the command if it hasn't started. */
  cancel(): void
}

/** Starting a process copies its parent's page tables, which is slow in a process that contains a database. So a shell is started early; it
 *  waits on a pipe for the environment, and then becomes the command. If the pipe closes without an environment, the shell exits. */
const WAITING_SHELL = 'env=$(cat <&3); [ -n "$env" ] || exit 1; eval "$env"; exec 3<&-; exec "$@"'

const prepareCommand = (words: readonly string[]): Command =>
  process.platform === 'win32' ? startLater(words) : startWaiting(words)

function startWaiting(words: readonly string[]): Command {
  const child = spawn('/bin/sh', ['-c', WAITING_SHELL, 'sh', ...words], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
  })
  const ended = exitCode(child)
  child.unref()
  const pipe = child.stdio[3] as Writable
  pipe.on('error', () => undefined)
  return {
    run(env) {
      child.ref()
      pipe.end(
        Object.entries(env)
          .map(([name, value]) => `export ${name}=${quote(value)}\n`)
          .join(''),
      )
      return ended
    },
    kill: (signal) => void child.kill(signal),
    cancel: () => pipe.destroy(),
  }
}

function startLater([program = '', ...words]: readonly string[]): Command {
  let child: ChildProcess | null = null
  return {
    run(env) {
      const { file, args, options } = startable(program, words)
      child = spawn(file, args, { ...options, stdio: 'inherit', env: { ...process.env, ...env } })
      return exitCode(child)
    },
    kill: (signal) => void child?.kill(signal),
    cancel: () => undefined,
  }
}

function exitCode(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.on('error', (error) => {
      console.error(`Couldn't start the command: ${error.message}`)
      resolve(127)
    })
    child.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']))
  })
}
