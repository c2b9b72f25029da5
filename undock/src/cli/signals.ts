/** The signals that ask a process to end. */
export const ABORTING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Milliseconds that a start may take to give up what it does. */
const ABORT_LIMIT = 5_000

/** Gives up a start that is asked to end: a migration may run for ever.
 *  @returns what is called when the start has ended. */
export function abortStart(start: AbortController): () => void {
  console.error('\nStopping; press Ctrl-C again to stop immediately')
  start.abort()
  const timer = setTimeout(() => process.exit(130), ABORT_LIMIT)
  return () => clearTimeout(timer)
}

/** Resolves with the first signal that asks this process to end. A second one ends it at once. */
export function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let asked = false
    for (const signal of ABORTING) {
      process.on(signal, () => {
        if (asked) process.exit(130)
        asked = true
        resolve(signal)
      })
    }
  })
}

/** Milliseconds that the process may keep running with nothing to do. */
const EXIT_DELAY = 1_000

/** Ends this process soon after its stack was closed: a forgotten handle, or a part that did not close, must not keep a
 *  process alive that serves nobody. */
export function exitSoon(): void {
  setTimeout(() => process.exit(), EXIT_DELAY).unref()
}
