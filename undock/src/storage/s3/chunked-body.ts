import { createHash } from 'node:crypto'
import { storageError } from '../errors.ts'
import { EMPTY_HASH, type Signer } from './signer.ts'

/** Whether chunks are signed, and whether headers follow the body. */
export type Chunking = { readonly signed: boolean; readonly trailer: boolean }

const CHUNKINGS: Readonly<Record<string, Chunking>> = {
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD': { signed: true, trailer: false },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER': { signed: true, trailer: true },
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER': { signed: false, trailer: true },
}

/** @throws {StorageError} InvalidRequest for a streaming algorithm other than S3's with HMAC */
export function chunkingOf(contentHash: string | undefined): Chunking | null {
  if (!contentHash?.startsWith('STREAMING-')) return null
  const chunking = CHUNKINGS[contentHash]
  if (!chunking) {
    throw storageError('InvalidRequest', { message: `Unsupported streaming algorithm: ${contentHash}` })
  }
  return chunking
}

/** Bytes of a line between chunks: a size, and a signature of 64 digits. */
const MAX_LINE = 1024
const MAX_TRAILER = 16 * 1024

export type ChunkedBody = {
  readonly chunking: Chunking
  readonly signer: Signer
  /** The request's own signature, which the first chunk's continues. */
  readonly seed: string
  readonly announced: readonly string[]
  readonly onTrailer: (trailer: ReadonlyMap<string, string>) => void
}

/** Decodes an aws-chunked body as it arrives, and checks each chunk's signature at its end.
 *  @throws {StorageError} InvalidRequest for invalid chunking, SignatureDoesNotMatch
 *  @see storage-api src/storage/protocols/s3/signature-v4-stream.ts */
export async function* dechunk(source: AsyncIterable<Uint8Array>, body: ChunkedBody): AsyncGenerator<Uint8Array> {
  const { chunking, signer } = body
  const input = new Input(source)
  let previous = body.seed
  for (;;) {
    const { size, signature } = parseHead(await input.line())
    const hash = chunking.signed ? createHash('sha256') : null
    for await (const part of input.take(size)) {
      hash?.update(part)
      yield part
    }
    if (hash) {
      const digest = size === 0 ? EMPTY_HASH : hash.digest('hex')
      if (!signer.matches(signature ?? '', 'AWS4-HMAC-SHA256-PAYLOAD', previous, EMPTY_HASH, digest)) throw mismatch()
      previous = signature ?? ''
    }
    if (size === 0) break
    if ((await input.line()) !== '') throw malformed()
  }
  await readTrailer(input, body, previous)
}

async function readTrailer(input: Input, { chunking, signer, announced, onTrailer }: ChunkedBody, previous: string) {
  const trailer = new Map<string, string>()
  let signed = ''
  let length = 0
  for (let line = await input.lastLine(); line !== ''; line = await input.lastLine()) {
    length += line.length
    const separator = line.indexOf(':')
    if (separator < 1 || length > MAX_TRAILER) throw malformed()
    const name = line.slice(0, separator).trim().toLowerCase()
    const value = line.slice(separator + 1).trim()
    trailer.set(name, value)
    if (name !== 'x-amz-trailer-signature') signed += `${name}:${value}\n`
  }
  if (announced.some((name) => !trailer.has(name))) {
    throw storageError('InvalidRequest', { message: 'The trailer that the request announced is missing' })
  }
  if (chunking.signed && chunking.trailer) {
    const hash = createHash('sha256').update(signed).digest('hex')
    const signature = trailer.get('x-amz-trailer-signature') ?? ''
    if (!signer.matches(signature, 'AWS4-HMAC-SHA256-TRAILER', previous, hash)) throw mismatch()
  }
  onTrailer(trailer)
}

function parseHead(line: string): { size: number; signature: string | undefined } {
  const [, digits, signature] = /^([0-9a-f]{1,12})(?:;chunk-signature=([0-9a-f]{64}))?$/i.exec(line) ?? []
  if (digits === undefined) throw malformed()
  return { size: Number.parseInt(digits, 16), signature }
}

const malformed = () => storageError('InvalidRequest', { message: 'The body is not chunked as aws-chunked prescribes' })
const mismatch = () =>
  storageError('SignatureDoesNotMatch', {
    message:
      'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  })

/** Reads a body by lines and lengths, buffering a single piece. */
class Input {
  readonly #source: AsyncIterator<Uint8Array>
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Returns the next line without its end. @throws {StorageError} InvalidRequest if there's none */
  async line(): Promise<string> {
    const line = await this.#line()
    if (line === null) throw malformed()
    return line
  }

  /** Like `line`, but empty at the body's end. */
  async lastLine(): Promise<string> {
    return (await this.#line()) ?? ''
  }

  async *take(length: number): AsyncGenerator<Uint8Array> {
    let missing = length
    while (missing > 0) {
      if (this.#rest.length === 0 && !(await this.#more())) throw malformed()
      const part = this.#rest.subarray(0, missing)
      this.#rest = this.#rest.subarray(part.length)
      missing -= part.length
      yield part
    }
  }

  async #line(): Promise<string | null> {
    for (;;) {
      const end = this.#rest.indexOf('\r\n')
      if (end >= 0) {
        const line = this.#rest.toString('latin1', 0, end)
        this.#rest = this.#rest.subarray(end + 2)
        return line
      }
      if (this.#rest.length > MAX_LINE) throw malformed()
      if (!(await this.#more())) {
        if (this.#rest.length > 0) throw malformed()
        return null
      }
    }
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#source.next()
    if (done) return false
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    return true
  }
}
