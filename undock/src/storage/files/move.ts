import { createHash } from 'node:crypto'
import type { Contents, Location } from './contents.ts'

/** An object to move. @property size Bytes and @property etag, from its row; null if it lacks them. */
export type MovedObject = Location & {
  readonly name: string
  readonly size: number | null
  readonly etag: string | null
}

export type Moved = {
  readonly copied: number
  readonly present: number
  readonly bytes: number
  readonly failed: readonly { readonly object: MovedObject; readonly reason: string }[]
}

const COPIES = 4

/** Copies contents and reads each back, comparing size and MD5 with the source and, if known, with the row. Existing
 *  contents are compared too, so it can be repeated after a kill. Deletes nothing.
 *  @param onFile Called after each file with the totals so far.
 *  @throws the reason of `signal` when aborted. */
export async function moveContents(
  objects: AsyncIterable<MovedObject>,
  { from, to }: { readonly from: Contents; readonly to: Contents },
  { signal, onFile }: { readonly signal: AbortSignal; onFile(done: number, bytes: number): void },
): Promise<Moved> {
  // A shared iterator, so that each object is taken once.
  const waiting = objects[Symbol.asyncIterator]()
  const failed: { object: MovedObject; reason: string }[] = []
  let [copied, present, bytes] = [0, 0, 0]
  const work = async (): Promise<void> => {
    for (let next = await waiting.next(); !next.done; next = await waiting.next()) {
      signal.throwIfAborted()
      const object = next.value
      try {
        const source = await digestOf(from, object)
        checkRow(object, source)
        if (await hasSame(to, object, source)) present += 1
        else {
          const opened = await from.open(object)
          await to.write(object, opened.stream(), source.size, source.size)
          if (!(await hasSame(to, object, source))) throw new Error('its copy has other bytes')
          copied += 1
        }
        bytes += source.size
        onFile(copied + present, bytes)
      } catch (error) {
        failed.push({ object, reason: error instanceof Error ? error.message : String(error) })
      }
    }
  }
  for (const outcome of await Promise.allSettled(Array.from({ length: COPIES }, work)))
    if (outcome.status === 'rejected') throw outcome.reason
  return { copied, present, bytes, failed }
}

type Digest = { readonly size: number; readonly md5: string }

async function digestOf(contents: Contents, location: Location): Promise<Digest> {
  const opened = await contents.open(location)
  const hash = createHash('md5')
  let size = 0
  for await (const chunk of opened.stream()) {
    size += chunk.length
    hash.update(chunk)
  }
  return { size, md5: hash.digest('hex') }
}

async function hasSame(contents: Contents, location: Location, { size, md5 }: Digest): Promise<boolean> {
  const existing = await contents.size(location).catch(() => null)
  return existing === size && (await digestOf(contents, location)).md5 === md5
}

/** A multipart etag isn't an MD5 of the bytes. */
function checkRow({ size, etag }: MovedObject, source: Digest): void {
  if (size !== null && size !== source.size) throw new Error(`it has ${source.size} bytes, and its row says ${size}`)
  const md5 = /^"?([0-9a-f]{32})"?$/.exec(etag ?? '')?.[1]
  if (md5 !== undefined && md5 !== source.md5) throw new Error(`its MD5 is ${source.md5}, and its row says ${md5}`)
}
