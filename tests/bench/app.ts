import { fileURLToPath } from 'node:url'
import type { AppFigures } from './app-figures.ts'
import { describeFrames } from './frames.ts'
import { runInside } from './inside.ts'
import { milliseconds, table } from './table.ts'

const FIGURES = fileURLToPath(new URL('./app-figures.ts', import.meta.url))
/** Measures the built app in Chromium: Lighthouse on the sign-in page and on a large shelf, frame times while that
 *  shelf is scrolled, and the time from an input to its visible effect. */
export async function benchApp(): Promise<string> {
  const { pages, documents, frames, longTasks, interactions } = await runInside<AppFigures>(FIGURES)
  const sorted = interactions.toSorted((a, b) => a - b)
  const audits = table(
    [
      'Lighthouse, desktop',
      'performance',
      'accessibility',
      'best practices',
      'SEO',
      'LCP here',
      'LCP, 10 Mbit/s simulated',
      'JavaScript, compressed',
    ],
    pages.map(({ name, scores, lcp, observedLcp, script }) => [
      name,
      ...scores.map((score) => String(Math.round(score * 100))),
      milliseconds(observedLcp),
      milliseconds(lcp),
      `${Math.round(script / 1000)} KB`,
    ]),
  )
  const faults = pages.flatMap(({ name, faults }) => faults.map((fault) => `${name}: ${fault}`))
  if (faults.length > 0) console.log(`What costs points:\n${faults.join('\n')}`)
  const figures = table(
    ['', 'figure'],
    [
      [`frames in time while a shelf of ${documents.toLocaleString('en')} documents scrolls`, describeFrames(frames)],
      ['tasks longer than 50 ms meanwhile', String(longTasks.length)],
      [`slowest of ${sorted.length} inputs there until the screen shows it`, milliseconds(sorted.at(-1) ?? Number.NaN)],
    ],
  )
  return `${audits}\n\n${figures}`
}
