import { setTimeout as sleep } from 'node:timers/promises'

export type WaitOptions = {
  /** Milliseconds; 10 s unless given. */
  readonly timeout?: number
}

/** Milliseconds between two looks. */
const PAUSE = 25

/** Asks again and again until there is an answer.
 *  @throws {Error} naming what was waited for when it does not come in time. */
export async function until<T>(
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
