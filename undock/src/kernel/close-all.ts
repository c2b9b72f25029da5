/** Something that has to be closed at the end. */
export type Closable = {
  /** The name of the part in the error. */
  readonly name: string
  /** Milliseconds that closing it may take; otherwise the default. */
  readonly limit?: number
  close(): Promise<unknown>
}

/** Reports parts that did not close. All other parts are closed when this is thrown. */
export class CloseError extends AggregateError {
  override readonly name = 'CloseError'
}

/** Milliseconds that closing one part may take. */
const CLOSE_LIMIT = 3_000

/** Closes all parts, one after another. A part that fails or does not close in time does not keep the others open, so
 *  that no partly closed stack continues to answer.
 *  @throws {CloseError} at the end, when a part failed or did not close in time. */
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

/** Like `Promise.all`, but it rejects only after every promise has settled: otherwise the caller could not close what
 *  the other promises still open. */
export async function settleAll<const Work extends readonly unknown[]>(
  work: Work,
): Promise<{ -readonly [Index in keyof Work]: Awaited<Work[Index]> }> {
  await Promise.allSettled(work)
  return Promise.all(work)
}

/** Runs work one piece after another, in the order of the calls; a piece that fails does not stop the next one. */
export function createSerialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }
}
