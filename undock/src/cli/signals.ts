/** The signals that ask a process to end. */
export const ABORTING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Printed when a command is asked to end while it is still starting. */
export const ENDING_SOON = '\nEnding as soon as everything has started; once more ends it at once'

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
