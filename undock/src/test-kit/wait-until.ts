import { setTimeout as sleep } from 'node:timers/promises'

export type WaitOptions = {
  /** Milliseconds; 10 s unless given. */
  readonly timeout?: number
}

/** Milliseconds between two attempts. */
const PAUSE = 25

/** Calls `ask` repeatedly until it returns a value.
 *  @throws {Error} naming what was waited for when it does not come in time. */
export async function waitUntil<T>(
  ask: () => Promise<T | undefined | null | false>,
  what: string,
  { timeout = 10_000 }: WaitOptions = {},
): Promise<T> {
  for (const end = performance.now() + timeout; ; await sleep(PAUSE)) {
    const answer = await ask()
    if (answer) return answer
    if (performance.now() > end) throw new Error(`Waited ${timeout / 1_000} s for ${what}`)
  }
}
