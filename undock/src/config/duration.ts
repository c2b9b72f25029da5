/** Nanoseconds in each unit that Go's time.ParseDuration knows; both code points for "micro" are in use. */
const NANOSECONDS = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
} as const satisfies Record<string, number>

const TERM = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy

/** Reads a duration as Go writes it: `1s`, `1h30m`, `-1.5h`, `0`.
 *  @returns Seconds, or undefined when the text is not a duration (a number without a unit is none). */
export function parseDuration(text: string): number | undefined {
  const sign = text.startsWith('-') ? -1 : 1
  const rest = text.replace(/^[+-]/, '')
  if (rest === '0') return 0
  let nanoseconds = 0
  let end = 0
  for (const term of rest.matchAll(TERM)) {
    nanoseconds += Number(term[1]) * NANOSECONDS[term[2] as keyof typeof NANOSECONDS]
    end = term.index + term[0].length
  }
  return end > 0 && end === rest.length ? (sign * nanoseconds) / 1e9 : undefined
}
