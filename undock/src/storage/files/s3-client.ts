import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ListMultipartUploadsCommandOutput, S3Client } from '@aws-sdk/client-s3'
import { FetchError, importPart } from '../../platform/fetched-package.ts'
import { invalidRequest, StorageError, type StorageErrorCode, storageError } from '../errors.ts'
import type { ByteRange } from '../http/header-values.ts'

export type S3Place = {
  /** Null for Amazon's own in the region. */
  readonly endpoint: string | null
  readonly region: string
  readonly bucket: string
  /** Prefix of all names in the bucket, so that projects can share it; empty for none. */
  readonly prefix: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Names the bucket in the path rather than the host, as most stores except Amazon's require. */
  readonly forcePathStyle: boolean
  /** Milliseconds of silence before a request fails (20,000). */
  readonly timeout?: number
}

/** Thrown if the files' store can't be used; the message says why and what to do. */
export class FilesError extends Error {
  override readonly name = 'FilesError'
}

export type S3Part = { readonly number: number; readonly etag: string }
/** @property key Without the place's prefix. */
export type S3Entry = { readonly key: string; readonly size: number; readonly etag: string; readonly modified: Date }

const CONNECT_TIMEOUT = 3000
const SILENCE = 20_000
/** Milliseconds: copies and completions are answered when done, and may take minutes. */
const LONG_WORK = 300_000
const ATTEMPTS = 3
/** S3's limit of objects per request, for deleting and listing. */
const BATCH = 1000
/** S3's limit for copying in one request. */
const MAX_COPY = 5 * 1024 ** 3

type Sdk = typeof import('@aws-sdk/client-s3')

/** @param tell Called before fetching. @throws {FetchError} */
export const loadSdk = (tell: () => void): Promise<Sdk> =>
  importPart('@aws-sdk/client-s3', () => import('@aws-sdk/client-s3'), tell)

/** Storage's S3 calls, in one bucket and below one prefix, with timeouts.
 *  @throws {StorageError} in every method: NoSuchKey, NoSuchUpload, InvalidPart, EntityTooSmall, otherwise S3Error. */
export class S3Store {
  readonly #sdk: Sdk
  readonly #client: S3Client
  readonly #place: S3Place
  readonly #prefix: string
  readonly #silence: number

  private constructor(sdk: Sdk, place: S3Place) {
    this.#sdk = sdk
    this.#place = place
    this.#prefix = place.prefix === '' || place.prefix.endsWith('/') ? place.prefix : `${place.prefix}/`
    this.#silence = place.timeout ?? SILENCE
    this.#client = new sdk.S3Client({
      ...(place.endpoint !== null && { endpoint: place.endpoint }),
      region: place.region,
      forcePathStyle: place.forcePathStyle,
      credentials: { accessKeyId: place.accessKeyId, secretAccessKey: place.secretAccessKey },
      maxAttempts: ATTEMPTS,
      // Stores other than Amazon's reject the SDK's checksums, and don't need the header.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      expectContinueHeader: false,
      requestHandler: {
        connectionTimeout: CONNECT_TIMEOUT,
        requestTimeout: this.#silence,
        throwOnRequestTimeout: true,
        // A slow client must not break off a download: reading has its own limit below.
        socketTimeout: 0,
      },
    })
    addContentMd5(this.#client)
  }

  get name(): string {
    return `The bucket ${this.#place.bucket} at ${this.#address}${this.#prefix === '' ? '' : `, below ${this.#prefix},`}`
  }

  /** Doesn't connect yet. @param tell Called before the SDK is fetched. @throws {FilesError} */
  static async open(place: S3Place, tell: () => void): Promise<S3Store> {
    try {
      return new S3Store(await loadSdk(tell), place)
    } catch (cause) {
      if (!(cause instanceof FetchError)) throw cause
      throw new FilesError(`Files on S3 need the package @aws-sdk/client-s3: ${cause.message}`, { cause })
    }
  }

  /** Writes, reads and removes a small object. @throws {FilesError} */
  async check(): Promise<void> {
    const key = `check/${crypto.randomUUID()}`
    const bytes = Buffer.from(key)
    try {
      await this.put(key, bytes)
      const read = await this.readAll(key)
      await this.delete([key])
      if (!read.equals(bytes)) throw new Error('it answered other bytes than it was given')
    } catch (error) {
      const cause = error instanceof StorageError && error.cause instanceof Error ? error.cause : error
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new FilesError(
        `${this.name} cannot be used for files: ${reason}. ` +
          'Check its address, its region, the keys, and that these may read, write, list and delete in the bucket.',
        { cause: error },
      )
    }
  }

  async put(key: string, bytes: Buffer): Promise<void> {
    await this.#ask('PutObject', () =>
      this.#client.send(new this.#sdk.PutObjectCommand({ ...this.#at(key), Body: bytes })),
    )
  }

  /** @returns the bytes, which must be read or destroyed. */
  async get(key: string, range?: ByteRange): Promise<{ size: number; body: Readable }> {
    const Range = range && `bytes=${range.start}-${range.end}`
    const { Body, ContentLength } = await this.#ask('GetObject', () =>
      this.#client.send(new this.#sdk.GetObjectCommand({ ...this.#at(key), ...(Range && { Range }) })),
    )
    if (!(Body instanceof Readable)) throw this.#failure('GetObject', new Error('it answered no bytes'))
    return { size: ContentLength ?? 0, body: Body }
  }

  async readAll(key: string): Promise<Buffer> {
    const { body } = await this.get(key)
    const chunks: Uint8Array[] = []
    for await (const chunk of this.read(body)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  /** Reads `get`'s bytes. Fails if the store goes silent; the reader may be as slow as it likes. */
  async *read(body: Readable): AsyncGenerator<Uint8Array> {
    const chunks: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]()
    try {
      for (;;) {
        const timer = setTimeout(() => body.destroy(new Error('The S3 store fell silent')), this.#silence)
        const { done, value } = await chunks.next().finally(() => clearTimeout(timer))
        if (done) return
        yield value
      }
    } finally {
      body.destroy()
    }
  }

  async size(key: string): Promise<number> {
    const { ContentLength } = await this.#ask('HeadObject', () =>
      this.#client.send(new this.#sdk.HeadObjectCommand(this.#at(key))),
    )
    return ContentLength ?? 0
  }

  async copy(from: string, to: string): Promise<void> {
    const source = this.#sourceOf(from)
    const size = await this.size(from)
    if (size > MAX_COPY) return this.#copyInParts(source, to, size)
    await this.#ask('CopyObject', () =>
      this.#client.send(new this.#sdk.CopyObjectCommand({ ...this.#at(to), CopySource: source }), LONG_REQUEST),
    )
  }

  async #copyInParts(CopySource: string, to: string, size: number): Promise<void> {
    await this.withUpload(to, async (UploadId) => {
      const parts: S3Part[] = []
      for (let start = 0; start < size; start += MAX_COPY) {
        const number = parts.length + 1
        const CopySourceRange = `bytes=${start}-${Math.min(start + MAX_COPY, size) - 1}`
        const input = { ...this.#at(to), UploadId, PartNumber: number, CopySource, CopySourceRange }
        const { CopyPartResult } = await this.#ask('UploadPartCopy', () =>
          this.#client.send(new this.#sdk.UploadPartCopyCommand(input), LONG_REQUEST),
        )
        parts.push({ number, etag: CopyPartResult?.ETag ?? '' })
      }
      return parts
    })
  }

  /** Missing keys count as deleted. */
  async delete(keys: readonly string[]): Promise<void> {
    for (let start = 0; start < keys.length; start += BATCH) {
      const Objects = keys.slice(start, start + BATCH).map((key) => ({ Key: this.#prefix + key }))
      const { Errors } = await this.#ask('DeleteObjects', () =>
        this.#client.send(
          new this.#sdk.DeleteObjectsCommand({ Bucket: this.#place.bucket, Delete: { Objects, Quiet: true } }),
        ),
      )
      const failed = Errors?.find(({ Code }) => Code !== 'NoSuchKey')
      if (failed) throw this.#failure('DeleteObjects', new Error(`${failed.Code}: ${failed.Message}`))
    }
  }

  async *list(start: string): AsyncGenerator<S3Entry[]> {
    let ContinuationToken: string | undefined
    do {
      const input = { Bucket: this.#place.bucket, Prefix: this.#prefix + start, MaxKeys: BATCH, ContinuationToken }
      const page = await this.#ask('ListObjectsV2', () => this.#client.send(new this.#sdk.ListObjectsV2Command(input)))
      yield (page.Contents ?? []).flatMap(({ Key, Size = 0, ETag = '', LastModified = new Date() }) =>
        Key === undefined
          ? []
          : [{ key: Key.slice(this.#prefix.length), size: Size, etag: ETag, modified: LastModified }],
      )
      ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined
    } while (ContinuationToken !== undefined)
  }

  async beginUpload(key: string): Promise<string> {
    const { UploadId } = await this.#ask('CreateMultipartUpload', () =>
      this.#client.send(new this.#sdk.CreateMultipartUploadCommand(this.#at(key))),
    )
    if (!UploadId) throw this.#failure('CreateMultipartUpload', new Error('it named no upload'))
    return UploadId
  }

  /** Bytes in memory are resent if the store fails. */
  async putPart(key: string, UploadId: string, number: number, Body: Buffer): Promise<S3Part> {
    const input = { ...this.#at(key), UploadId, PartNumber: number, Body }
    const { ETag } = await this.#ask('UploadPart', () => this.#client.send(new this.#sdk.UploadPartCommand(input)))
    return { number, etag: ETag ?? '' }
  }

  /** Streams bytes, once.
   *  @throws {StorageError} InvalidRequest for fewer bytes than `length`, EntityTooLarge for more */
  async streamPart(
    key: string,
    UploadId: string,
    { number, length, bytes }: { number: number; length: number; bytes: AsyncIterable<Uint8Array> },
  ): Promise<S3Part> {
    const breaking = new AbortController()
    let fault: unknown
    const breakOff = (reason: unknown): void => {
      fault ??= reason
      breaking.abort()
    }
    let timer: NodeJS.Timeout | undefined
    const waitForStore = (): void => {
      timer = setTimeout(() => breakOff(this.#failure('UploadPart', new Error('it fell silent'))), this.#silence)
    }
    async function* checked(): AsyncGenerator<Uint8Array> {
      try {
        let size = 0
        clearTimeout(timer)
        for await (const chunk of bytes) {
          size += chunk.byteLength
          if (size > length) throw storageError('EntityTooLarge')
          waitForStore()
          yield chunk
          clearTimeout(timer)
        }
        if (size < length) throw invalidRequest('The upload ended before its content was complete')
        waitForStore()
      } catch (error) {
        breakOff(error)
      }
    }
    const Body = Readable.from(checked(), { objectMode: false })
    const input = { ...this.#at(key), UploadId, PartNumber: number, Body, ContentLength: length }
    const options = { abortSignal: breaking.signal, requestTimeout: 0 }
    waitForStore()
    try {
      const { ETag } = await this.#ask('UploadPart', () =>
        this.#client.send(new this.#sdk.UploadPartCommand(input), options),
      )
      return { number, etag: ETag ?? '' }
    } catch (error) {
      throw fault ?? error
    } finally {
      clearTimeout(timer)
      Body.destroy()
    }
  }

  async completeUpload(key: string, UploadId: string, parts: readonly S3Part[]): Promise<void> {
    const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }))
    await this.#ask('CompleteMultipartUpload', () =>
      this.#client.send(
        new this.#sdk.CompleteMultipartUploadCommand({ ...this.#at(key), UploadId, MultipartUpload: { Parts } }),
        LONG_REQUEST,
      ),
    )
  }

  /** A missing upload counts as aborted; some stores report a missing key. */
  async abortUpload(key: string, UploadId: string): Promise<void> {
    await this.#ask('AbortMultipartUpload', () =>
      this.#client.send(new this.#sdk.AbortMultipartUploadCommand({ ...this.#at(key), UploadId })),
    ).catch((error: unknown) => {
      if (!(error instanceof StorageError) || error.status !== 404) throw error
    })
  }

  /** Creates an object from parts; if that fails, no part is kept. */
  async withUpload(key: string, send: (uploadId: string) => Promise<readonly S3Part[]>): Promise<void> {
    const id = await this.beginUpload(key)
    try {
      await this.completeUpload(key, id, await send(id))
    } catch (error) {
      // If aborting fails, the repair finds it by age.
      await this.abortUpload(key, id).catch(() => undefined)
      throw error
    }
  }

  async *listUploads(start: string): AsyncGenerator<{ key: string; id: string; initiated: Date }> {
    let [KeyMarker, UploadIdMarker]: (string | undefined)[] = []
    for (;;) {
      const input = { Bucket: this.#place.bucket, Prefix: this.#prefix + start, KeyMarker, UploadIdMarker }
      const page: ListMultipartUploadsCommandOutput = await this.#ask('ListMultipartUploads', () =>
        this.#client.send(new this.#sdk.ListMultipartUploadsCommand(input)),
      )
      for (const { Key, UploadId, Initiated } of page.Uploads ?? [])
        if (Key && UploadId && Initiated)
          yield { key: Key.slice(this.#prefix.length), id: UploadId, initiated: Initiated }
      if (!page.IsTruncated) return
      ;[KeyMarker, UploadIdMarker] = [page.NextKeyMarker, page.NextUploadIdMarker]
    }
  }

  close(): void {
    this.#client.destroy()
  }

  get #address(): string {
    return this.#place.endpoint ?? `Amazon's S3 in ${this.#place.region}`
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#place.bucket, Key: this.#prefix + key }
  }

  #sourceOf(key: string): string {
    return `${this.#place.bucket}/${this.#prefix + key}`.split('/').map(encodeURIComponent).join('/')
  }

  async #ask<T>(operation: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call()
    } catch (error) {
      throw this.#failure(operation, error)
    }
  }

  #failure(operation: string, error: unknown): unknown {
    if (!(error instanceof Error) || error.name === 'AbortError') return error
    const { name, message } = error
    const status = error instanceof this.#sdk.S3ServiceException ? error.$metadata.httpStatusCode : undefined
    const code: StorageErrorCode | undefined =
      ANSWERS[name] ?? (status === 404 && name === 'NotFound' ? 'NoSuchKey' : undefined)
    if (code) return storageError(code, { cause: error })
    const said = status === undefined ? `failed: ${message}` : `answered ${status} ${name}: ${message}`
    const cause = new Error(`${operation}: the S3 store at ${this.#address} ${said}`, { cause: error })
    return storageError('S3Error', { cause })
  }
}

const LONG_REQUEST = { requestTimeout: LONG_WORK }

const ANSWERS: Readonly<Record<string, StorageErrorCode>> = {
  NoSuchKey: 'NoSuchKey',
  NoSuchUpload: 'NoSuchUpload',
  InvalidPart: 'InvalidPart',
  EntityTooSmall: 'EntityTooSmall',
}

/** S3 required this header for bulk deletes before it had other checksums; OpenStack Swift still does. */
function addContentMd5(client: S3Client): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        const request = 'request' in args ? args.request : null
        if (commandName === 'DeleteObjectsCommand' && hasText(request))
          request.headers['content-md5'] = createHash('md5').update(request.body).digest('base64')
        return next(args)
      },
    { step: 'build', priority: 'low', name: 'contentMd5' },
  )
}

const hasText = (request: unknown): request is { headers: Record<string, string>; body: string } =>
  typeof request === 'object' &&
  request !== null &&
  'headers' in request &&
  'body' in request &&
  typeof request.body === 'string'
