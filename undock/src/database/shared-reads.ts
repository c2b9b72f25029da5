import type { Statement } from '../kernel/sql.ts'
import type { Result } from './db.ts'

type SharedRead = { hasBegun: () => boolean; results: Promise<Result[]> }

/** Runs a read once for all who ask the same before it has begun: each sees everything that was acknowledged before it
 *  asked, as if it had run alone. */
export class SharedReads {
  readonly #latest = new Map<string, SharedRead>()

  /** @param statements All that the result depends on, but the data.
   *  @param run Starts the read, and says how to know whether it has begun once it is on its way. */
  join(
    statements: readonly Statement[],
    run: (onSent: (hasBegun: () => boolean) => void) => Promise<Result[]>,
  ): Promise<Result[]> {
    const key = keyOf(statements)
    const latest = this.#latest.get(key)
    if (latest && !latest.hasBegun()) return latest.results
    const read: SharedRead = { hasBegun: () => false, results: Promise.resolve([]) }
    read.results = run((hasBegun) => {
      read.hasBegun = hasBegun
    }).finally(() => {
      if (this.#latest.get(key) === read) this.#latest.delete(key)
    })
    this.#latest.set(key, read)
    return read.results
  }
}

/** With lengths before them, neither texts nor statements can be taken for others. */
const keyOf = (statements: readonly Statement[]): string =>
  statements.map(({ text, values }) => [values.length, text, ...values].map(withLength).join('')).join('')

function withLength(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return `${typeof value}${text.length}:${text}`
}
