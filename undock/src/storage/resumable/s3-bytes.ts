import { createHash, randomUUID } from 'node:crypto'
import { StorageError } from '../errors.ts'
import { type Location, partedEtag, type Written } from '../files/contents.ts'
import type { S3Store } from '../files/s3-client.ts'
import { cut, keyOf, partSizeOf } from '../files/s3-contents.ts'
import type { PartialBytes } from './bytes.ts'
import type { Leases } from './leases.ts'
import type { UploadRecord, Uploads } from './uploads.ts'

const tailKey = (id: string, tail: string): string => `tails/${id}/${tail}`

/** Parts of the store's multipart upload; what's too short for a part is a separate object until more arrives. Rows
 *  decide what was received, whichever process continues. */
export class S3Bytes implements PartialBytes {
  readonly #store: S3Store
  readonly #uploads: Uploads
  readonly #leases: Leases
  /** Bytes of an upload whose size isn't known yet. */
  readonly #limit: number

  constructor(store: S3Store, uploads: Uploads, leases: Leases, limit: number) {
    this.#store = store
    this.#uploads = uploads
    this.#leases = leases
    this.#limit = limit
  }

  async create(): Promise<void> {}

  async received({ stored }: UploadRecord): Promise<number> {
    return stored.received
  }

  async append(record: UploadRecord, offset: number, source: AsyncIterable<Uint8Array>): Promise<number> {
    const { id, stored } = record
    const lease = this.#leases.of(id)
    const key = keyOf(placeOf(record))
    const partSize = partSizeOf(record.size ?? this.#limit)
    const tail = await this.#readTail(record)
    let storeUpload = stored.upload
    let safe = offset - tail.length
    const send = async (body: Buffer): Promise<void> => {
      if (storeUpload === null) {
        storeUpload = await this.#store.beginUpload(key)
        await this.#uploads.begin(lease, storeUpload)
      }
      const number = await this.#uploads.reservePart(lease)
      const { etag } = await this.#store.putPart(key, storeUpload, number, body)
      await this.#uploads.addPart(lease, { number, size: body.length, etag }, safe + body.length)
      safe += body.length
    }

    let fault: unknown
    async function* asFarAsItComes(): AsyncGenerator<Uint8Array> {
      yield tail
      try {
        yield* source
      } catch (error) {
        fault = error
      }
    }
    // Sends one part while the next arrives.
    let sending = Promise.resolve()
    let rest: Buffer = Buffer.alloc(0)
    for await (const piece of cut(asFarAsItComes(), partSize)) {
      await sending
      if (piece.length < partSize) rest = piece
      else sending = send(piece)
      sending.catch(() => undefined)
    }
    await sending
    if (rest.length > 0 && safe + rest.length > offset) {
      const name = randomUUID()
      await this.#store.put(tailKey(id, name), rest)
      await this.#uploads.setTail(lease, name, rest.length, safe + rest.length).catch(async (error: unknown) => {
        await this.#store.delete([tailKey(id, name)]).catch(() => undefined)
        throw error
      })
    }
    const received = Math.max(offset, safe + rest.length)
    // If removing fails, the repair finds it by age.
    if (stored.tail && received > offset) await this.#store.delete([tailKey(id, stored.tail)]).catch(() => undefined)
    if (fault) throw fault
    return received
  }

  async finish(record: UploadRecord, to: Location): Promise<Written> {
    const { id, stored } = record
    const key = keyOf(to)
    const parts = await this.#uploads.parts(id)
    const tail = await this.#readTail(record)
    const size = stored.received
    const md5 = createHash('md5').update(tail).digest('hex')
    if (parts.length === 0 || stored.upload === null) {
      await this.#store.put(key, tail)
      return { size, etag: `"${md5}"`, modified: new Date() }
    }
    const etags = [...parts.map(({ etag }) => etag), ...(tail.length > 0 ? [md5] : [])]
    try {
      const number = await this.#uploads.reservePart(this.#leases.of(id))
      const last = tail.length > 0 ? [await this.#store.putPart(key, stored.upload, number, tail)] : []
      await this.#store.completeUpload(key, stored.upload, [...parts, ...last])
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== 'NoSuchUpload') throw error
      // A process completed it and died before writing the object's row.
      if ((await this.#store.size(key)) !== size) throw error
    }
    return { size, etag: partedEtag(etags), modified: new Date() }
  }

  /** A finished upload's content no longer belongs to it. */
  async discard(record: UploadRecord): Promise<void> {
    const { id, stored } = record
    if (stored.upload !== null && !record.isCommitted)
      await this.#store.abortUpload(keyOf(placeOf(record)), stored.upload)
    if (stored.tail !== null) await this.#store.delete([tailKey(id, stored.tail)])
  }

  async #readTail({ id, stored }: UploadRecord): Promise<Buffer> {
    return stored.tail === null ? Buffer.alloc(0) : this.#store.readAll(tailKey(id, stored.tail))
  }
}

const placeOf = ({ id, metadata }: UploadRecord): Location => ({ bucket: metadata.bucketName ?? '', version: id })
