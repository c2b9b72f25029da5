import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from, to } from 'pg-copy-streams'

/** The most bytes in memory, but for a single row: a database of undock collects the rows of one COPY. */
const PART = 4 * 1024 * 1024

export type CopyOptions = {
  readonly source: pg.Client
  readonly target: pg.Client
  /** Gives the rows at the source. */
  readonly query: string
  /** The table at the target, with its columns in the order of the query. */
  readonly into: string
  /** Changes complete rows, in the text format of COPY. */
  readonly change: ((rows: Buffer) => Buffer) | null
  onProgress(rows: number): void
  readonly signal: AbortSignal
}

/** Copies rows from one database into another, part by part. @returns how many. */
export async function copyRows({
  source,
  target,
  query,
  into,
  change,
  onProgress,
  signal,
}: CopyOptions): Promise<number> {
  let count = 0
  for await (const part of completeRows(source.query(to(`copy (${query}) to stdout`)))) {
    signal.throwIfAborted()
    const writer = target.query(from(`copy ${into} from stdin`))
    await pipeline(Readable.from([change ? change(part) : part]), writer, { signal })
    count += writer.rowCount
    onProgress(count)
  }
  return count
}

/** Parts that end where a row does: a line feed within a value is escaped. */
export async function* completeRows(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = []
  let size = 0
  for await (const piece of stream) {
    const end = piece.lastIndexOf(0x0a) + 1
    size += piece.length
    if (size < PART || end === 0) {
      pieces.push(piece)
      continue
    }
    yield Buffer.concat([...pieces, piece.subarray(0, end)])
    pieces = [piece.subarray(end)]
    size = piece.length - end
  }
  if (size > 0) yield Buffer.concat(pieces)
}
