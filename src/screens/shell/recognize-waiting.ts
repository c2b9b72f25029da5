/** Milliseconds after which it begins: a page's own answers come first. */
const DELAY = 5_000

/** Has the text of scans recognized that wait for it. What it takes is loaded then; without network, with the next visit.
 *  @returns a function that stops it. */
export function recognizeWaiting(): () => void {
  let started: Promise<() => void> | undefined
  const timer = setTimeout(() => {
    started = import('../../features/recognition/recognize-in-background.ts').then(({ recognizeInBackground }) =>
      recognizeInBackground(),
    )
    started.catch(() => {})
  }, DELAY)
  return () => {
    clearTimeout(timer)
    void started?.then((stop) => stop()).catch(() => {})
  }
}
