import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ended } from '../../undock/bench/peers.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const UNDOCK = fileURLToPath(new URL('../../undock/bin/undock.js', import.meta.url))

/** Runs a script on a Carrel backend in memory and parses its last line as JSON. */
export async function runInside<Figures>(script: string): Promise<Figures> {
  const words = [UNDOCK, 'run', '--workdir', ROOT, '--', process.execPath, script]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  if ((await ended(child)) !== 0) throw new Error(`${script} could not be measured`)
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as Figures
}
