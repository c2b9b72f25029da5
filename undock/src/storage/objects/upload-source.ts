import { once } from 'node:events'
import { Readable } from 'node:stream'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import { isJsonObject, parseJson } from '../../kernel/json.ts'
import { bytesOf } from '../../kernel/request-body.ts'
import { MAX_USER_METADATA } from '../buckets/limits.ts'
import { invalidRequest, StorageError, storageError } from '../errors.ts'

const PLAIN = ['all', 'noindex', 'nofollow', 'none', 'nosnippet', 'indexifembedded', 'notranslate', 'noimageindex']
const WITH_NUMBER = ['max-snippet', 'max-video-preview']
const PREVIEW_SIZES = ['none', 'standard', 'large']

/** Checks an X-Robots-Tag: known rules, optionally after a crawler's name. @throws {StorageError} InvalidRequest */
export function checkRobotsTag(value: string): void {
  const rules = value.split(',').map((rule) => rule.trim())
  for (let index = 0; index < rules.length; index++) {
    const rule = rules[index] ?? ''
    const [name = '', ...rest] = rule.split(':')
    const argument = rest.join(':').trim()
    if (name === 'unavailable_after') {
      // Dates contain a comma ("Wed, 25 Jun 2026 …").
      const dated = Number.isNaN(Date.parse(argument)) ? `${argument}, ${rules[++index] ?? ''}` : argument
      if (Number.isNaN(Date.parse(dated))) throw refused(`invalid date in rule "${rule}"`)
      continue
    }
    const crawlersRule = /^[a-zA-Z0-9_-]+$/.test(name) && PLAIN.includes(argument)
    if (!PLAIN.includes(rule) && !crawlersRule && !isParametric(name, argument)) throw refused(`unknown rule "${rule}"`)
  }
}

const isParametric = (name: string, argument: string): boolean =>
  (WITH_NUMBER.includes(name) && /^-?\d+$/.test(argument)) ||
  (name === 'max-image-preview' && PREVIEW_SIZES.includes(argument))

const refused = (why: string) => invalidRequest(`Invalid X-Robots-Tag header: ${why}`, 'invalid_x_robots_tag')

/** What a request wants to store: described first, so that it can be checked before any byte is read. */
export type UploadSource = {
  readonly mimeType: string
  readonly cacheControl: string
  readonly userMetadata: Record<string, unknown> | null
  readonly robotsTag: string | undefined
  /** The request's Content-Length; for a form that exceeds the file's. */
  readonly declaredLength: number | undefined
  /** The content's exact length, if known. */
  readonly contentLength: number | undefined
  readonly body: AsyncIterable<Uint8Array>
}

/** Finds the file in a request: the body, or a form's first file with the fields before it.
 *  @param limit Bytes that the file may have.
 *  @throws {StorageError} InvalidRequest, EntityTooLarge
 *  @see storage-api src/storage/uploader.ts */
export function readUpload(request: Request, limit: number): Promise<UploadSource> | UploadSource {
  const robotsTag = request.headers.get('x-robots-tag') ?? undefined
  if (robotsTag !== undefined) checkRobotsTag(robotsTag)
  const declared = Number(request.headers.get('content-length') ?? Number.NaN)
  const declaredLength = Number.isSafeInteger(declared) && declared >= 0 ? declared : undefined
  const type = request.headers.get('content-type') ?? ''
  return type.startsWith('multipart/form-data')
    ? readFormUpload(request, { limit, robotsTag, declaredLength })
    : readBody(request, type, { limit, robotsTag, declaredLength })
}

type Known = { limit: number; robotsTag: string | undefined; declaredLength: number | undefined }

function readBody(request: Request, type: string, { limit, robotsTag, declaredLength }: Known): UploadSource {
  if (declaredLength !== undefined && declaredLength > limit) throw storageError('EntityTooLarge')
  const metadata = request.headers.get('x-metadata')
  return {
    mimeType: type || 'application/octet-stream',
    cacheControl: request.headers.get('cache-control') ?? 'no-cache',
    userMetadata: metadata === null ? null : parseUserMetadata(Buffer.from(metadata, 'base64').toString('utf8')),
    robotsTag,
    declaredLength,
    contentLength: declaredLength,
    body: bytesOf(request),
  }
}

async function readFormUpload(request: Request, { limit, robotsTag, declaredLength }: Known): Promise<UploadSource> {
  const { fields, mimeType, body } = await readForm(request, { fields: 10, fileSize: limit })
  const metadata = fields.get('metadata') ?? fields.get('userMetadata')
  if (metadata !== undefined && Buffer.byteLength(metadata) > MAX_USER_METADATA) {
    throw storageError('EntityTooLarge', { message: 'The user_metadata exceeded the maximum allowed size' })
  }
  const maxAge = fields.get('cacheControl')
  return {
    mimeType: fields.get('contentType') || mimeType,
    cacheControl: maxAge ? `max-age=${maxAge}` : 'no-cache',
    userMetadata: metadata === undefined ? null : parseUserMetadata(metadata),
    robotsTag,
    declaredLength,
    contentLength: undefined,
    body,
  }
}

export type UploadForm = {
  readonly fields: ReadonlyMap<string, string>
  readonly mimeType: string
  readonly fileName: string
  readonly body: AsyncIterable<Uint8Array>
}

/** Reads a form up to its first file.
 *  @param limits The number of fields, and the bytes of the file.
 *  @throws {StorageError} InvalidRequest */
export async function readForm(
  request: Request,
  limits: { readonly fields: number; readonly fileSize: number },
): Promise<UploadForm> {
  if (!request.body) throw invalidRequest('No content provided')
  const form = openForm(
    { ...Object.fromEntries(request.headers), 'content-type': request.headers.get('content-type') ?? '' },
    // One byte more than allowed, so that a file of exactly the limit doesn't count as truncated.
    { fields: limits.fields, files: 1, fieldSize: MAX_USER_METADATA + 1, fileSize: limits.fileSize + 1 },
  )
  const fields = new Map<string, string>()
  form.on('field', (name, value) => fields.set(name, value))

  const file = await new Promise<{ stream: Readable; fileName: string; mimeType: string }>((resolve, reject) => {
    form.once('file', (_name, stream, fileName, _encoding, mimeType) => {
      // An aborted part is only reported as an event, possibly before the file is read: without a listener it would end
      // the process, and without this one the reader would wait forever.
      stream.on('error', (error) => stream.destroy(error))
      resolve({ stream, fileName, mimeType })
    })
    form.once('error', (error) => reject(invalidRequest(error instanceof Error ? error.message : 'Invalid form')))
    form.once('finish', () => reject(invalidRequest('No content provided')))
    const incoming = Readable.from(bytesOf(request), { objectMode: false })
    // If the client disconnects, the file's reader must get an error.
    incoming.once('error', (error) => form.destroy(error))
    incoming.pipe(form)
  })
  return { fields, mimeType: file.mimeType, fileName: file.fileName, body: wholeForm(file.stream, form) }
}

type Form = InstanceType<typeof Busboy>

function openForm(headers: Record<string, string>, limits: Record<string, number>): Form {
  try {
    return new Busboy({ headers: headers as BusboyHeaders, limits })
  } catch (error) {
    throw storageError('InvalidRequest', { message: 'Invalid multipart form', cause: error })
  }
}

/** A form that breaks off inside or after the file is an error, not a shorter file. */
async function* wholeForm(file: Readable, form: Form): AsyncGenerator<Uint8Array> {
  const broken = new Promise<never>((_resolve, reject) => form.once('error', reject))
  broken.catch(() => undefined)
  form.once('error', (error) => file.destroy(error instanceof Error ? error : undefined))
  const ended = once(form, 'finish').catch(() => undefined)
  try {
    for await (const chunk of file) yield chunk as Uint8Array
    await Promise.race([ended, broken])
  } catch (error) {
    if (error instanceof StorageError) throw error
    throw storageError('InvalidRequest', { message: 'The upload ended before its content was complete', cause: error })
  }
}

/** Parses users' own metadata; like upstream, anything but an object is ignored. */
export function parseUserMetadata(json: string): Record<string, unknown> | null {
  try {
    const value = parseJson(json)
    return isJsonObject(value) ? { ...value } : null
  } catch {
    return null
  }
}
