import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** This repository's undock, run by the Node that runs this script. */
export const UNDOCK: readonly [string, ...string[]] = [
  process.execPath,
  fileURLToPath(new URL('../undock/bin/undock.js', import.meta.url)),
]

/** A tool of node_modules, by the name of its command. */
export const tool = (name: string): string => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url))

export function start(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): ChildProcess {
  return spawn(command, args, { cwd: ROOT, stdio: 'inherit', env, shell: process.platform === 'win32' })
}

/** @returns the exit code, 1 when it ended by a signal. */
export function run(command: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = start(command, args, env)
    child.on('error', reject)
    child.on('exit', (code) => resolve(code ?? 1))
  })
}
