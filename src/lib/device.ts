/** Whether the person wants to save data. Not supported by all browsers, and missing in TypeScript's types. */
export const savesData = (): boolean =>
  (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true

/** Milliseconds: the fallback without idle callbacks. */
const PAUSE = 500

export const idle = (): Promise<void> =>
  new Promise((resolve) => {
    // Missing in Safari.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve())
    else setTimeout(resolve, PAUSE)
  })
