/** Nanoseconds per unit of Go's time.ParseDuration; "micro" has two code points. */
const NANOSECONDS = { ns: 1, us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9, m: 60e9, h: 3600e9 }

const TERM = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy

/** Parses a duration in Go's syntax: `1s`, `1h30m`, `-1.5h`, `0`.
 *  @returns seconds, or undefined if invalid; a number needs a unit. */
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

const POWERS = ['', 'k', 'm', 'g', 't', 'p']

const SIZE = /^(\d+(?:\.\d*)?|\.\d+) ?([kmgtp]?)(?:i?b)?$/i

/** Parses a size in config.toml's syntax: `50MiB`, `5MB`, `500kb`, `1.5g`, `1024`. All prefixes are powers of 1024,
 *  with or without the `i`: the CLI uses RAMInBytes of docker/go-units, so `5MB` is 5,242,880 bytes.
 *  @returns whole bytes, or undefined if invalid. */
export function parseSize(text: string): number | undefined {
  const match = SIZE.exec(text)
  if (!match) return undefined
  const power = POWERS.indexOf((match[2] ?? '').toLowerCase())
  return Math.floor(Number(match[1]) * 1024 ** power)
}
