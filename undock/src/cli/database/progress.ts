/** The exit code of a command that was interrupted, as in a shell. */
export const INTERRUPTED = 130

/** Milliseconds between two lines of progress. */
const INTERVAL = 2_000

/** Prints a line of progress now and then, however often it is called. */
export function createProgress(): (line: string) => void {
  let told = performance.now()
  return (line) => {
    if (performance.now() - told < INTERVAL) return
    told = performance.now()
    console.error(line)
  }
}
