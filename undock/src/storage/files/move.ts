import { createHash } from 'node:crypto'
import type { Contents, Location } from './contents.ts'

/** An object whose content is to be moved. @property size Bytes and @property etag, as its row says; null where it does not. */
export type MovedObject = Location & {
  readonly name: string
  readonly size: number | null
  readonly etag: string | null
}

export type Moved = {
  /** Copied now, and verified. */
  readonly copied: number
  /** There already, with the same bytes. */
  readonly present: number
  readonly bytes: number
  readonly failed: readonly { readonly object: MovedObject; readonly reason: string }[]
}

/** Copies under way at a time. */
const COPIES = 4

/** Copies contents from one place to another, and reads each there to compare size and MD5 with those of its source and, where the row
 *  tells an MD5, with the row's. What is there already is compared, too, so that it may be repeated after a kill. Nothing is deleted.
 *  @param onFile Called after each with what is done so far.
 *  @throws the reason of `signal` when it is aborted. */
export async function moveContents(
  objects: AsyncIterable<MovedObject>,
  { from, to }: { readonly from: Contents; readonly to: Contents },
  { signal, onFile }: { readonly signal: AbortSignal; onFile(done: number, bytes: number): void },
): Promise<Moved> {
  // One iterator for all: each object is taken once.
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
  // Those under way are finished before a run that is aborted ends.
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
  const found = await contents.size(location).catch(() => null)
  return found === size && (await digestOf(contents, location)).md5 === md5
}

/** The entity tag of what came in parts is no MD5 of its bytes. */
function checkRow({ size, etag }: MovedObject, source: Digest): void {
  if (size !== null && size !== source.size) throw new Error(`it has ${source.size} bytes, and its row says ${size}`)
  const md5 = /^"?([0-9a-f]{32})"?$/.exec(etag ?? '')?.[1]
  if (md5 !== undefined && md5 !== source.md5) throw new Error(`its MD5 is ${source.md5}, and its row says ${md5}`)
}
