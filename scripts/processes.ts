import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** This repository's undock, run by the same Node as this script. */
export const UNDOCK: readonly [string, ...string[]] = [
  process.execPath,
  fileURLToPath(new URL('../undock/bin/undock.js', import.meta.url)),
]

/** Returns a command in node_modules. */
export const tool = (name: string): string => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url))

export function start(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  output: 'inherit' | 'pipe' = 'inherit',
): ChildProcess {
  const stdio = ['inherit', output, output] as const
  return spawn(command, args, { cwd: ROOT, stdio: [...stdio], env, shell: process.platform === 'win32' })
}

/** @returns the exit code; 1 if a signal ended the process. */
export async function run(command: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<number> {
  return await ended(start(command, args, env))
}

type Ended = { code: number; end: string }

/** Like `run`, and returns `end`, the last `KEPT` characters of output; empty on a terminal. */
export async function runKept(command: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Ended> {
  if (process.stdout.isTTY) return { code: await run(command, args, env), end: '' }
  let end = ''
  const code = await runHeard(command, args, env, (text, to) => {
    to.write(text)
    end = (end + text).slice(-KEPT)
  })
  return { code, end }
}

/** Like `runKept`, for parallel commands: returns the output instead of writing it. */
export async function runHeld(
  command: string,
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
): Promise<Ended & { output: string }> {
  let output = ''
  const code = await runHeard(command, args, env, (text) => {
    output += text
  })
  return { code, end: output.slice(-KEPT), output }
}

/** @returns the exit code. */
async function runHeard(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv | undefined,
  hear: (text: string, to: NodeJS.WriteStream) => void,
): Promise<number> {
  const child = start(command, args, env, 'pipe')
  child.stdout?.setEncoding('utf8').on('data', (text: string) => hear(text, process.stdout))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => hear(text, process.stderr))
  return await ended(child)
}

const KEPT = 6_000

function ended(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => {
      const end = () => resolve(code ?? 1)
      child.on('close', end)
      // The pipes stay open while any leftover process holds them.
      setTimeout(end, 2_000).unref()
    })
  })
}

/** Returns the first free port at or above `port`. */
export async function firstFreePort(port: number): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return firstFreePort(port + 1)
  }
  server.close()
  await once(server, 'close')
  return port
}

/** Writes a generated file. With --check, only sets the exit code to 1 if the committed one differs.
 *  @param path Relative to the root. @param command Generates it. */
export function writeGenerated(path: string, text: string, command: string): void {
  if (!process.argv.includes('--check')) writeFileSync(ROOT + path, text)
  else if (readFileSync(ROOT + path, 'utf8') !== text) {
    console.error(`${path} is out of date: run \`${command}\` and commit it.`)
    process.exitCode = 1
  }
}
