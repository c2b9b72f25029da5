/** One tab of a browser recognizes text at a time: one worker takes all that a processor has. */
const TURN = 'carrel.recognition'
/** The tab of a browser that looks for scans by itself. */
const BACKGROUND = 'carrel.recognition.background'

/** Waits until no other tab of this browser recognizes text.
 *  @returns what lets the next one begin. */
export function takeTurn(signal: AbortSignal): Promise<() => void> {
  // Not at hand on pages without TLS.
  if (!('locks' in navigator)) return Promise.resolve(() => {})
  return new Promise((resolve, reject) => {
    navigator.locks.request(TURN, { signal }, () => new Promise<void>((release) => resolve(release))).catch(reject)
  })
}

/** The same for whoever does not wait. @returns undefined while another has the turn. */
export const takeTurnIfFree = (): Promise<(() => void) | undefined> =>
  new Promise((resolve, reject) => {
    navigator.locks
      .request(TURN, { ifAvailable: true }, (lock) => {
        if (lock) return new Promise<void>((release) => resolve(release))
        resolve(undefined)
      })
      .catch(reject)
  })

/** Whether somebody waits for the turn. */
export const isTurnWanted = async (): Promise<boolean> =>
  ((await navigator.locks.query()).pending ?? []).some(({ name }) => name === TURN)

/** Does something in one tab of this browser, until it is stopped; in none where tabs cannot agree which. */
export async function inOneTab(signal: AbortSignal, action: () => Promise<void>): Promise<void> {
  if ('locks' in navigator) await navigator.locks.request(BACKGROUND, { signal }, action)
}
