export type Closable = {
  readonly name: string
  /** Milliseconds; `CLOSE_LIMIT` by default. */
  readonly limit?: number
  close(): Promise<unknown>
}

/** Thrown when parts failed to close, after closing all others. */
export class CloseError extends AggregateError {
  override readonly name = 'CloseError'
}

/** The longest delay of a timer, 24 days; as a limit, it means none. */
export const MAX_TIMER_MS = 2 ** 31 - 1

const CLOSE_LIMIT = 3_000

/** Closes all parts in sequence, even if some fail or time out, so that no partly closed stack keeps answering.
 *  @throws {CloseError} at the end if a part failed or timed out. */
export async function closeAll(parts: Iterable<Closable>): Promise<void> {
  const errors: Error[] = []
  for (const part of parts) await closeInTime(part).catch((error: unknown) => errors.push(toError(part, error)))
  if (errors.length > 0) throw new CloseError(errors, errors.map(({ message }) => message).join('\n'))
}

async function closeInTime({ limit = CLOSE_LIMIT, close }: Closable): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`did not end within ${limit / 1_000} s`)), limit)
  })
  try {
    await Promise.race([close(), late])
  } finally {
    clearTimeout(timer)
  }
}

const toError = ({ name }: Closable, cause: unknown): Error =>
  new Error(`${name}: ${cause instanceof Error ? cause.message : cause}`, { cause })

/** Like `Promise.all`, but rejects only after every promise has settled, so that the caller can close what they open. */
export async function settleAll<const Work extends readonly unknown[]>(
  work: Work,
): Promise<{ -readonly [Index in keyof Work]: Awaited<Work[Index]> }> {
  await Promise.allSettled(work)
  return Promise.all(work)
}

/** Returns a queue that runs work in the order of the calls; a failure doesn't stop the next piece. */
export function createSerialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }
}

/** Handles what a file operation rejects with: `readFile(path, 'utf8').catch(ifMissing(''))`.
 *  @returns the value if the file doesn't exist. @throws any other error. */
export const ifMissing =
  <T>(value: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return value
    throw error
  }
