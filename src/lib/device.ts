/** Whether a person asks for as little traffic as possible. Not every browser says so, and TypeScript's types do not have it. */
export const savesData = (): boolean =>
  (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true

/** Milliseconds until a browser is taken for idle that does not say when it is. */
const PAUSE = 500

/** Waits until the browser has nothing else to do. */
export const idle = (): Promise<void> =>
  new Promise((resolve) => {
    // Safari has none.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve())
    else setTimeout(resolve, PAUSE)
  })
