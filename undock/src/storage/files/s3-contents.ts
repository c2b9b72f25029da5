import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Tracer } from '../../kernel/tracer.ts'
import { storageError } from '../errors.ts'
import type { ByteRange } from '../http/header-values.ts'
import {
  type Contents,
  isVersion,
  type Location,
  measureFile,
  namesOf,
  type OpenContent,
  sizeOf,
  type Written,
} from './contents.ts'
import type { S3Part, S3Store } from './s3-client.ts'

/** S3's minimum size of all parts but the last. */
const PART_SIZE = 5 * 1024 * 1024
/** S3 allows 10,000; the rest is for parts of an upload that were sent in vain. */
const MAX_PARTS = 9_000

/** Returns the part size for objects of up to `limit` bytes. All parts but the last are equal, as some stores require. */
export const partSizeOf = (limit: number): number => Math.max(PART_SIZE, Math.ceil(limit / MAX_PARTS))

/** Contents as objects of an S3 store, used by many processes. */
export class S3Contents implements Contents {
  readonly #store: S3Store
  readonly #tracer: Tracer

  constructor(store: S3Store, tracer: Tracer) {
    this.#store = store
    this.#tracer = tracer
  }

  write(location: Location, source: AsyncIterable<Uint8Array>, limit: number, announced = limit): Promise<Written> {
    const partSize = partSizeOf(Math.min(limit, announced))
    return measureFile(
      this.#tracer,
      'write',
      location,
      () => this.#write(keyOf(location), source, limit, partSize),
      sizeOf,
    )
  }

  async #write(key: string, source: AsyncIterable<Uint8Array>, limit: number, partSize: number): Promise<Written> {
    const hash = createHash('md5')
    let size = 0
    async function* counted(): AsyncGenerator<Uint8Array> {
      for await (const chunk of source) {
        size += chunk.byteLength
        if (size > limit) throw storageError('EntityTooLarge')
        hash.update(chunk)
        yield chunk
      }
    }
    const pieces = cut(counted(), partSize)
    try {
      const first = (await pieces.next()).value ?? Buffer.alloc(0)
      if (first.length < partSize) await this.#store.put(key, first)
      else await this.#store.withUpload(key, (id) => this.#send(key, id, first, pieces))
    } finally {
      await pieces.return(undefined)
    }
    return { size, etag: `"${hash.digest('hex')}"`, modified: new Date() }
  }

  /** Sends one part while the next arrives and is hashed, so memory stays flat. */
  async #send(key: string, id: string, first: Buffer, others: AsyncIterable<Buffer>): Promise<S3Part[]> {
    const parts: S3Part[] = []
    const send = async (body: Buffer): Promise<void> => {
      parts.push(await this.#store.putPart(key, id, parts.length + 1, body))
    }
    let sending = send(first)
    // Awaited at the next part; until then a failure must not count as unhandled.
    sending.catch(() => undefined)
    for await (const piece of others) {
      await sending
      sending = send(piece)
      sending.catch(() => undefined)
    }
    await sending
    return parts
  }

  async copy(from: Location, to: Location): Promise<void> {
    await measureFile(this.#tracer, 'copy', to, () => this.#store.copy(keyOf(from), keyOf(to)))
  }

  size(location: Location): Promise<number> {
    return this.#store.size(keyOf(location))
  }

  async open(location: Location, isPart = false): Promise<OpenContent> {
    const key = keyOf(location)
    const whole = isPart ? null : await this.#store.get(key)
    const size = whole?.size ?? (await this.#store.size(key))
    const store = this.#store
    async function* bytes(range?: ByteRange): AsyncGenerator<Uint8Array> {
      if (whole && !range) return yield* store.read(whole.body)
      whole?.body.destroy()
      yield* store.read((await store.get(key, range)).body)
    }
    return {
      size,
      stream: (range) => Readable.from(bytes(range), { objectMode: false }),
      body: (range) => bodyOf(bytes(range)),
      close: async () => void whole?.body.destroy(),
    }
  }

  async remove(locations: readonly Location[]): Promise<void> {
    const known = locations.filter(({ version }) => isVersion(version))
    const [first] = known
    if (first) await measureFile(this.#tracer, 'remove', first, () => this.#store.delete(known.map(keyOf)))
  }
}

export const CONTENTS = 'objects/'

export const keyOf = (location: Location): string => CONTENTS + namesOf(location).join('/')

function bodyOf(bytes: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await bytes.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => void (await bytes.return(undefined)),
  })
}

/** Cuts a source into pieces of one size, the last possibly shorter; none for no bytes. */
export async function* cut(source: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Buffer, undefined> {
  let waiting: Uint8Array[] = []
  let length = 0
  for await (let chunk of source) {
    while (length + chunk.byteLength >= size) {
      waiting.push(chunk.subarray(0, size - length))
      chunk = chunk.subarray(size - length)
      yield Buffer.concat(waiting)
      waiting = []
      length = 0
    }
    if (chunk.byteLength > 0) waiting.push(chunk)
    length += chunk.byteLength
  }
  if (length > 0) yield Buffer.concat(waiting)
}
