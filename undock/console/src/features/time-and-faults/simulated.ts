import type { ClockState, FaultState } from './queries.ts'

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** Formats a duration with its two largest units, such as "1 hour 30 minutes". @param milliseconds */
export function spanText(milliseconds: number): string {
  let seconds = Math.round(Math.abs(milliseconds) / 1_000)
  const parts: string[] = []
  for (const [unit, length] of UNITS) {
    const amount = Math.floor(seconds / length)
    seconds -= amount * length
    if (amount > 0) parts.push(`${amount} ${unit}${amount === 1 ? '' : 's'}`)
  }
  return parts.slice(0, 2).join(' ') || '0 seconds'
}

/** A clock's difference from the machine's; null without one. */
export const clockText = ({ offset }: ClockState): string | null =>
  offset === 0 ? null : `The clock is ${spanText(offset)} ${offset > 0 ? 'ahead' : 'behind'}.`

/** Returns a sentence for each active simulation. */
export function simulated(clock: ClockState | undefined, faults: FaultState | undefined): string[] {
  const { isOffline = false, delays = {}, failures = {} } = faults ?? {}
  return [
    clock && clockText(clock),
    isOffline && 'The API is offline.',
    ...Object.entries(failures).map(
      ([service, { status, times }]) =>
        `${service} fails with ${status}${times === null ? '' : `, ${times} more times`}.`,
    ),
    ...Object.entries(delays).map(([service, delay]) => `${service} answers ${delay} ms later.`),
  ].filter((text) => typeof text === 'string')
}
