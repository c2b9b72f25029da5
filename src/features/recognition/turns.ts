/** Lock: one tab recognizes at a time, because one worker uses a whole processor. */
const TURN = 'carrel.recognition'
/** Lock: one tab looks for scans in the background. */
const BACKGROUND = 'carrel.recognition.background'

/** Waits until no other tab of this browser recognizes text. @returns a function that releases the turn. */
export function takeTurn(signal: AbortSignal): Promise<() => void> {
  // Locks aren't available without TLS.
  if (!('locks' in navigator)) return Promise.resolve(() => {})
  return new Promise((resolve, reject) => {
    navigator.locks.request(TURN, { signal }, () => new Promise<void>((release) => resolve(release))).catch(reject)
  })
}

/** Like takeTurn, without waiting. @returns undefined if it's taken. */
export const takeTurnIfFree = (): Promise<(() => void) | undefined> =>
  new Promise((resolve, reject) => {
    navigator.locks
      .request(TURN, { ifAvailable: true }, (lock) => {
        if (lock) return new Promise<void>((release) => resolve(release))
        resolve(undefined)
      })
      .catch(reject)
  })

export const isTurnWanted = async (): Promise<boolean> =>
  ((await navigator.locks.query()).pending ?? []).some(({ name }) => name === TURN)

/** Runs an action in one tab of this browser until stopped; in none if locks aren't available. */
export async function inOneTab(signal: AbortSignal, action: () => Promise<void>): Promise<void> {
  if ('locks' in navigator) await navigator.locks.request(BACKGROUND, { signal }, action)
}
