import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { CarrelFigures } from './carrel-figures.ts'
import { ended } from './peers.ts'
import { milliseconds, table } from './table.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const UNDOCK = fileURLToPath(new URL('../../undock/bin/undock.js', import.meta.url))
const FIGURES = fileURLToPath(new URL('./carrel-figures.ts', import.meta.url))

/** Carrel's own work on a backend in memory: a PDF from upload to the last passage, and search among many passages. */
export async function benchCarrel(): Promise<string> {
  const words = [UNDOCK, 'run', '--workdir', ROOT, '--', process.execPath, FIGURES]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  if ((await ended(child)) !== 0) throw new Error('Carrel could not be measured')
  const { pages, ingest, passages, searches } = JSON.parse(output.trim().split('\n').at(-1) ?? '') as CarrelFigures
  const sorted = searches.sort((a, b) => a - b)
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN
  return table(
    ['', 'figure'],
    [
      [
        `a PDF of ${pages} pages, from the end of its upload to "ready", first call of the function`,
        milliseconds(ingest[0] ?? Number.NaN),
      ],
      ['the same again', milliseconds(ingest[1] ?? Number.NaN)],
      [`search among ${passages.toLocaleString('en')} passages, median of ${sorted.length}`, milliseconds(at(0.5))],
      ['the same, p95', milliseconds(at(0.95))],
    ],
  )
}
