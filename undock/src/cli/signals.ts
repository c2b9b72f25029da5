/** The signals that ask a process to end. */
export const ABORTING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The exit code of a command that was interrupted, as in a shell. */
export const INTERRUPTED = 130

/** Milliseconds for a start to stop. */
const ABORT_LIMIT = 5_000

/** Aborts a start on a signal: a migration may run forever.
 *  @returns a function to call after the start. */
export function abortStart(start: AbortController): () => void {
  console.error('\nStopping; press Ctrl-C again to stop immediately')
  start.abort()
  const timer = setTimeout(() => process.exit(INTERRUPTED), ABORT_LIMIT)
  return () => clearTimeout(timer)
}

/** Runs a command's work, aborted by signals. @param kept Tells the user what remains after cancelling.
 *  @returns the command's exit code */
export async function cancellable(kept: string, work: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const cancel = new AbortController()
  const onSignal = (): void => cancel.abort()
  for (const signal of ABORTING) process.once(signal, onSignal)
  try {
    return await work(cancel.signal)
  } catch (error) {
    if (!cancel.signal.aborted) throw error
    console.error(`Cancelled. ${kept}`)
    return INTERRUPTED
  } finally {
    for (const signal of ABORTING) process.off(signal, onSignal)
  }
}

/** Resolves with the first signal that asks this process to end. A second one ends it immediately. */
export function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isSignaled = false
    for (const signal of ABORTING) {
      process.on(signal, () => {
        if (isSignaled) process.exit(INTERRUPTED)
        isSignaled = true
        resolve(signal)
      })
    }
  })
}

/** Milliseconds until the process exits. */
const EXIT_DELAY = 1_000

/** Exits soon after the stack was closed, even if a forgotten handle or an unclosed part would keep
 *  the process alive. */
export function exitSoon(): void {
  setTimeout(() => process.exit(), EXIT_DELAY).unref()
}
