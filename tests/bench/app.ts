import { fileURLToPath } from 'node:url'
import { describeFrames } from '../../undock/bench/frames.ts'
import { milliseconds, shareOf, table } from '../../undock/bench/table.ts'
import type { AppFigures } from './app-figures.ts'
import { runInside } from './inside.ts'

const FIGURES = fileURLToPath(new URL('./app-figures.ts', import.meta.url))
/** Measures the built app in Chromium: Lighthouse on sign-in and a large shelf, frame times while scrolling, and
 *  latencies of inputs, of opening a PDF, and of typing as seen by another writer. */
export async function benchApp(): Promise<string> {
  const { pages, documents, frames, longTasks, interactions, openings, keys } = await runInside<AppFigures>(FIGURES)
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
      'all data received',
    ],
    pages.map(({ name, scores, lcp, observedLcp, script, bytes, requests }) => [
      name,
      ...scores.map((score) => String(Math.round(score * 100))),
      milliseconds(observedLcp),
      milliseconds(lcp),
      `${Math.round(script / 1000)} KB`,
      `${Math.round(bytes / 1000)} KB in ${requests} requests`,
    ]),
  )
  const faults = pages.flatMap(({ name, faults }) => faults.map((fault) => `${name}: ${fault}`))
  if (faults.length > 0) console.log(`What costs points:\n${faults.join('\n')}`)
  const figures = table(
    ['', 'figure'],
    [
      [`frames on time while scrolling a shelf of ${documents.toLocaleString('en')} documents`, describeFrames(frames)],
      ['tasks longer than 50 ms during that', String(longTasks.length)],
      [
        `slowest of ${interactions.length} inputs until the screen shows the result`,
        milliseconds(shareOf(interactions, 1)),
      ],
      [
        'from clicking a manual of 120 pages to its first page: first, median of the next',
        `${milliseconds(openings[0] ?? Number.NaN)}, ${milliseconds(shareOf(openings.slice(1), 0.5))}`,
      ],
      [
        `from a keystroke in a note to another writer’s screen: median, p95 of ${keys.length}`,
        [0.5, 0.95].map((share) => milliseconds(shareOf(keys, share))).join(', '),
      ],
    ],
  )
  return `${audits}\n\n${figures}`
}
