import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { reasonFor } from './reasons.ts'
import type { Found } from './suite.ts'

const FILE = fileURLToPath(new URL('./results.json', import.meta.url))

const Result = z.object({
  suite: z.string(),
  repository: z.string(),
  version: z.string(),
  engine: z.string(),
  date: z.string(),
  cases: z.number(),
  held: z.number(),
  /** The number of skipped cases by reason. */
  leftOut: z.record(z.string(), z.number()),
  /** Failing cases by reason. */
  misses: z.record(z.string(), z.array(z.string())),
})

/** A run of a whole suite as shown in `docs/conformance.md`. */
export type Result = z.infer<typeof Result>

export type Summary = Pick<Result, 'cases' | 'held' | 'leftOut' | 'misses'> & {
  /** Unexplained results, not part of the page. */
  readonly unexplained: readonly string[]
}

/** Explains a run's results with the table of reasons. */
export function summarize(suite: string, { cases, unread }: Found): Summary {
  const leftOut: Record<string, number> = {}
  const misses: Record<string, string[]> = {}
  const unexplained: string[] = []
  const explain = (name: string, miss: string) => {
    const reason = reasonFor(suite, `${name}: ${miss}`)
    if (reason === null) unexplained.push(`${name}\n  ${miss}`)
    else misses[reason] = [...(misses[reason] ?? []), name]
  }
  for (const { group, name, miss, leftOut: reason } of cases) {
    if (reason !== null) leftOut[reason] = (leftOut[reason] ?? 0) + 1
    else if (miss !== null) explain(`${group}: ${name}`, miss)
  }
  for (const { place, reason } of unread) explain(place, reason)
  const held = cases.filter((one) => one.miss === null && one.leftOut === null).length
  return { cases: cases.length + unread.length, held, leftOut, misses, unexplained }
}

/** All recorded results, sorted by suite. */
async function readResults(): Promise<Result[]> {
  return z.array(Result).parse(JSON.parse(await readFile(FILE, 'utf8')))
}

/** Replaces the result of the same suite and engine. */
export async function record(result: Result): Promise<Result[]> {
  const others = (await readResults()).filter(({ suite, engine }) => suite !== result.suite || engine !== result.engine)
  const results = [...others, result].sort(
    (one, other) => one.suite.localeCompare(other.suite) || one.engine.localeCompare(other.engine),
  )
  await writeFile(FILE, `${JSON.stringify(results, null, 2)}\n`)
  return results
}
