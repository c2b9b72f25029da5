import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { JsonTooComplexError, parseJson } from '../../kernel/json.ts'
import { bytesOf } from '../../kernel/request-body.ts'
import { invalidRequest, storageError } from '../errors.ts'
import { readText } from '../http/validation.ts'
import { chunkingOf, dechunk } from './chunked-body.ts'
import type { Signature } from './signature.ts'
import type { Signer } from './signer.ts'
import { fromXml } from './xml.ts'

export type Body = {
  /** Bytes; undefined if the request doesn't say. */
  readonly length: number | undefined
  /** Throws for wrong signatures or checksums, at the latest after the last byte. */
  readonly bytes: AsyncIterable<Uint8Array>
}

/** @throws {StorageError} InvalidRequest */
export function bodyOf(request: Request, signature: Signature, signer: Signer): Body {
  const announced = (request.headers.get('x-amz-trailer') ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const checksums = new Checksums(request.headers, announced, signature.contentHash)
  const source = bytesOf(request)
  const chunking = chunkingOf(signature.contentHash)
  if (!chunking) return { length: lengthOf(request, 'content-length'), bytes: checksums.check(source) }
  const plain = dechunk(source, {
    chunking,
    signer,
    seed: signature.value,
    announced,
    onTrailer: (trailer) => checksums.expect(trailer),
  })
  return { length: lengthOf(request, 'x-amz-decoded-content-length'), bytes: checksums.check(plain) }
}

function lengthOf({ headers }: Request, name: string): number | undefined {
  const length = headers.get(name)
  return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : undefined
}

/** Bytes of a document: ten thousand parts, or a thousand of the longest keys. */
const MAX_DOCUMENT = 4 * 1024 * 1024

/** Reads an XML (or JSON, by content type) document.
 *  @throws {StorageError} MalformedXML, InvalidRequest, EntityTooLarge */
export async function readDocument(body: Body, contentType: string | null): Promise<unknown> {
  const text = await readText(body.bytes, MAX_DOCUMENT)
  if (!contentType?.startsWith('application/json')) return text === '' ? {} : fromXml(text)
  if (text === '') throw invalidRequest("Body cannot be empty when content-type is set to 'application/json'")
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof JsonTooComplexError) throw storageError('EntityTooLarge', { message: error.message })
    throw invalidRequest("Body is not valid JSON but content-type is set to 'application/json'")
  }
}

type Running = { update(bytes: Uint8Array): void; digest(): string }

const hash = (name: string, encoding: 'base64' | 'hex') => (): Running => {
  const state = createHash(name)
  return { update: (bytes) => void state.update(bytes), digest: () => state.digest(encoding) }
}

function crc(): Running {
  let value = 0
  const digest = () => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return bytes.toString('base64')
  }
  return {
    update: (bytes) => {
      value = crc32(bytes, value)
    },
    digest,
  }
}

/** What Node can compute; other checksums (CRC32C, CRC64NVME) aren't verified. */
const ALGORITHMS: Readonly<Record<string, () => Running>> = {
  'content-md5': hash('md5', 'base64'),
  'x-amz-checksum-crc32': crc,
  'x-amz-checksum-sha1': hash('sha1', 'base64'),
  'x-amz-checksum-sha256': hash('sha256', 'base64'),
}

class Checksums {
  readonly #running = new Map<string, Running>()
  readonly #expected = new Map<string, string>()

  constructor(headers: Headers, announced: readonly string[], contentHash: string | undefined) {
    for (const [name, start] of Object.entries(ALGORITHMS)) {
      const value = headers.get(name)
      if (value !== null) this.#expected.set(name, value)
      if (value !== null || announced.includes(name)) this.#running.set(name, start())
    }
    if (contentHash !== undefined && /^[0-9a-f]{64}$/.test(contentHash)) {
      this.#expected.set('x-amz-content-sha256', contentHash)
      this.#running.set('x-amz-content-sha256', hash('sha256', 'hex')())
    }
  }

  expect(trailer: ReadonlyMap<string, string>): void {
    for (const [name, value] of trailer) this.#expected.set(name, value)
  }

  /** Passes the bytes through. @throws {StorageError} InvalidChecksum after the last one */
  async *check(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const running = [...this.#running.values()]
    for await (const bytes of source) {
      for (const one of running) one.update(bytes)
      yield bytes
    }
    for (const [name, one] of this.#running) {
      const expected = this.#expected.get(name)
      if (expected !== undefined && expected !== one.digest()) {
        throw storageError('InvalidChecksum', { message: `The ${name} you specified did not match what we received` })
      }
    }
  }
}
