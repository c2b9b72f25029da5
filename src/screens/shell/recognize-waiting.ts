/** Has the text of scans recognized that wait for it. What it takes is loaded afterwards; without network, with the next visit.
 *  @returns a function that stops it. */
export function recognizeWaiting(): () => void {
  const started = import('../../features/recognition/recognize-in-background.ts').then(({ recognizeInBackground }) =>
    recognizeInBackground(),
  )
  started.catch(() => {})
  return () => void started.then((stop) => stop()).catch(() => {})
}
