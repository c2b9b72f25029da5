import { JsonTooComplexError, parseJson } from '../../kernel/json.ts'
import { bytesOf } from '../../kernel/request-body.ts'
import { invalidRequest, storageError } from '../errors.ts'
import { readText } from '../http/validation.ts'
import { Checksums } from './checksums.ts'
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
