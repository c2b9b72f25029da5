import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Writable } from 'node:stream'

/** A command that is to run once its environment is known. */
export type Command = {
  /** Runs it; resolves with its exit code. */
  run(env: Readonly<Record<string, string>>): Promise<number>
  kill(signal: NodeJS.Signals): void
  /** Gives it up if it has not been run. */
  cancel(): void
}

/** Starting a process copies the page tables of the one that starts it, which takes long for one that holds a database.
 *  So a shell is started at once, waits for the environment on a pipe, and becomes the command; where the pipe ends
 *  without one it ends too. */
const WAITING_SHELL = 'env=$(cat <&3); [ -n "$env" ] || exit 1; eval "$env"; exec 3<&-; exec "$@"'

export const prepareCommand = (words: readonly string[]): Command =>
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

/** On Windows npm and npx are scripts, which only its own shell starts. */
function startLater([file = '', ...args]: readonly string[]): Command {
  let child: ChildProcess | null = null
  return {
    run(env) {
      child = spawn(file, args, { stdio: 'inherit', env: { ...process.env, ...env }, shell: true })
      return exitCode(child)
    },
    kill: (signal) => void child?.kill(signal),
    cancel: () => undefined,
  }
}

function exitCode(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.on('error', (error) => {
      console.error(`The command could not be started: ${error.message}`)
      resolve(127)
    })
    child.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']))
  })
}

const quote = (value: string): string => `'${value.replaceAll("'", `'\\''`)}'`
