/** Said to whoever asks a command to end that is still starting. */
export const ENDING_SOON = '\nEnding as soon as everything has started; once more ends it at once'

/** Resolves with the first signal that asks this process to end. A second one ends it at once. */
export function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let asked = false
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (asked) process.exit(130)
        asked = true
        resolve(signal)
      })
    }
  })
}
