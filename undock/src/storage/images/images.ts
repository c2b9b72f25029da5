import { availableParallelism } from 'node:os'
import type { Gravity, Sharp } from 'sharp'
import { z } from 'zod'
import { FetchError, importPart } from '../../platform/fetched-package.ts'
import type { StorageDeps } from '../deps.ts'
import { invalidRequest, storageError } from '../errors.ts'
import { guardContent } from '../http/header-values.ts'
import { wholeNumber } from '../http/validation.ts'
import { assetHeaders, type DownloadOptions, isNotModified } from '../objects/download.ts'
import type { ObjectRow } from '../objects/rows.ts'

const GRAVITIES = {
  no: 'north',
  so: 'south',
  ea: 'east',
  we: 'west',
  noea: 'northeast',
  nowe: 'northwest',
  soea: 'southeast',
  sowe: 'southwest',
  ce: 'centre',
} as const satisfies Record<string, Gravity>

export const Transformation = z.object({
  width: wholeNumber(0).optional(),
  height: wholeNumber(0).optional(),
  resize: z.enum(['cover', 'contain', 'fill']).optional(),
  format: z.enum(['origin', 'avif', 'webp']).optional(),
  quality: wholeNumber(20, 100).optional(),
  gravity: z.enum([...(Object.keys(GRAVITIES) as (keyof typeof GRAVITIES)[]), 'sm', 'fp']).optional(),
  x_offset: z.coerce.number().optional(),
  y_offset: z.coerce.number().optional(),
})
export type Transformation = z.infer<typeof Transformation>

const MAX_SIDE = 2500
/** Larger sources are too expensive to decode, and files that claim to be huge are refused before allocating memory. */
const MAX_SOURCE_BYTES = 25 * 1024 * 1024
const MAX_SOURCE_PIXELS = 50_000_000
const WORKERS = Math.max(1, Math.min(4, availableParallelism() - 1))
const MAX_WAITING = 100
const TIME_LIMIT = 30

const FORMATS = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  avif: 'image/avif',
  gif: 'image/gif',
} as const
type Format = keyof typeof FORMATS

/** Transforms stored images, a few at a time. */
export class ImageRenderer {
  #running = 0
  readonly #waiting: (() => void)[] = []

  /** Answers a GET with the transformed image.
   *  @throws {StorageError} InvalidRequest if it's not an image or too large; SlowDown */
  async render(
    request: Request,
    row: ObjectRow,
    transformation: Transformation,
    options: DownloadOptions,
    { content, log }: StorageDeps,
  ): Promise<Response> {
    if (row.version === null) throw storageError('NoSuchKey')
    checkFocalPoint(transformation)
    const headers = assetHeaders(row, options)
    headers.set('x-transformations', describeTransformation(transformation).join(','))
    headers.delete('accept-ranges')
    if (transformation.format !== 'origin') headers.set('vary', 'Accept')
    if (isNotModified(request, headers)) return new Response(null, { status: 304, headers })

    const location = { bucket: row.bucket_id, version: row.version }
    if ((await content.size(location)) > MAX_SOURCE_BYTES) {
      throw invalidRequest('The source image file is too large to process')
    }
    const opened = await content.open(location)
    const chunks: Uint8Array[] = []
    for await (const chunk of opened.stream()) chunks.push(chunk as Uint8Array)
    const source = Buffer.concat(chunks)
    // Like imgproxy, whatever the client accepts.
    if (isSvg(source) && (transformation.format ?? 'origin') === 'origin') {
      headers.set('content-type', 'image/svg+xml')
      guardContent(headers)
      headers.set('content-length', String(source.byteLength))
      return new Response(new Uint8Array(source), { headers })
    }
    const accept = transformation.format === 'origin' ? '' : (request.headers.get('accept') ?? '')
    const sharp = await loadSharp(() =>
      log.info('fetching sharp, which transforms images, from the npm registry (once on this machine)'),
    )
    const image = await this.#inTurn(() => transform(sharp, source, transformation, accept))
    headers.set('content-type', FORMATS[image.format])
    guardContent(headers)
    headers.set('content-length', String(image.data.byteLength))
    return new Response(new Uint8Array(image.data), { headers })
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= WORKERS) {
      if (this.#waiting.length >= MAX_WAITING) throw storageError('SlowDown')
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    this.#running++
    try {
      return await work()
    } finally {
      this.#running--
      this.#waiting.shift()?.()
    }
  }
}

/** Returns whether a document begins with <svg>, after its declaration, comments and doctype. */
const isSvg = (source: Buffer): boolean =>
  /^\uFEFF?\s*(?:<(?:\?|!--|!DOCTYPE)[^<]*>\s*)*<svg[\s>]/i.test(source.subarray(0, 4_096).toString('utf8'))

async function transform(
  sharp: SharpModule,
  source: Buffer,
  transformation: Transformation,
  accept: string,
): Promise<{ data: Buffer; format: Format }> {
  try {
    const image = sharp(source, { limitInputPixels: MAX_SOURCE_PIXELS, failOn: 'truncated', animated: false })
    const { format: original } = await image.metadata()
    const format = chooseFormat(transformation, accept, original)
    const data = await encode(resize(image.rotate(), transformation), format, transformation.quality)
      .timeout({ seconds: TIME_LIMIT })
      .toBuffer()
    return { data, format }
  } catch (error) {
    const reason = error instanceof Error ? error.message : ''
    if (/pixel limit/i.test(reason)) throw invalidRequest('The source image resolution is too large to process')
    if (/timeout/i.test(reason)) throw invalidRequest('Image request timed out')
    throw storageError('InvalidRequest', {
      message: 'The source image is invalid or unsupported for rendering',
      cause: error,
    })
  }
}

/** The requested format, otherwise the smallest that the client accepts, otherwise the image's own. */
function chooseFormat({ format }: Transformation, accept: string, original: string | undefined): Format {
  if (format === 'webp' || format === 'avif') return format
  if (accept.includes('image/avif')) return 'avif'
  if (accept.includes('image/webp')) return 'webp'
  // sharp calls AVIF heif; vectors and rarer formats become lossless PNG.
  if (original === 'heif') return 'avif'
  return original !== undefined && original in FORMATS ? (original as Format) : 'png'
}

function resize(image: Sharp, { width, height, resize: mode, gravity, x_offset, y_offset }: Transformation): Sharp {
  if (!width && !height) return image
  const fit = mode === 'contain' ? 'inside' : mode === 'fill' ? 'fill' : 'cover'
  return image.resize({
    ...(width ? { width: Math.min(width, MAX_SIDE) } : {}),
    ...(height ? { height: Math.min(height, MAX_SIDE) } : {}),
    fit,
    ...(fit === 'cover' && gravity ? { position: positionOf(gravity, x_offset, y_offset) } : {}),
  })
}

/** sharp crops at nine positions or by attention; a focal point maps to the nearest position. */
function positionOf(gravity: NonNullable<Transformation['gravity']>, x = 0.5, y = 0.5) {
  if (gravity === 'sm') return 'attention'
  if (gravity !== 'fp') return GRAVITIES[gravity]
  const vertical = y < 1 / 3 ? 'north' : y > 2 / 3 ? 'south' : ''
  const horizontal = x < 1 / 3 ? 'west' : x > 2 / 3 ? 'east' : ''
  return `${vertical}${horizontal}` || 'centre'
}

function encode(image: Sharp, format: Format, quality = 80): Sharp {
  switch (format) {
    case 'jpeg':
      return image.jpeg({ quality, mozjpeg: false })
    case 'png':
      return image.png()
    case 'webp':
      return image.webp({ quality })
    case 'avif':
      // Effort 2 of 9: a third of the default's time for a few percent more bytes.
      return image.avif({ quality, effort: 2 })
    case 'gif':
      return image.gif()
  }
}

function checkFocalPoint({ gravity, x_offset, y_offset }: Transformation): void {
  if (gravity !== 'fp') return
  if ([x_offset, y_offset].some((offset) => offset === undefined || offset < 0 || offset > 1)) {
    throw storageError('InvalidParameter', { message: 'Focal point requires x and y coordinates within 0-1 range' })
  }
}

const RESIZING_TYPES = { cover: 'fill', contain: 'fit', fill: 'force' } as const

/** Returns the `x-transformations` header, in imgproxy's words like upstream. */
export function describeTransformation(transformation: Transformation): string[] {
  return segments(transformation, `resizing_type:${RESIZING_TYPES[transformation.resize ?? 'cover']}`)
}

/** Encodes a transformation for a signed URL's token; `parseTransformation` reads it. */
export function encodeTransformation(transformation: Transformation): string {
  checkFocalPoint(transformation)
  return segments(transformation, `resize:${transformation.resize}`).join(',')
}

function segments({ width, height, quality, format, gravity, x_offset, y_offset }: Transformation, resizing: string) {
  const parts: string[] = []
  if (height) parts.push(`height:${Math.min(height, MAX_SIDE)}`)
  if (width) parts.push(`width:${Math.min(width, MAX_SIDE)}`)
  if (width || height) parts.push(resizing)
  if (quality) parts.push(`quality:${quality}`)
  if (format && format !== 'origin') parts.push(`format:${format}`)
  if (gravity) {
    const offsets = gravity !== 'sm' && (x_offset !== undefined || y_offset !== undefined)
    parts.push(offsets ? `gravity:${gravity}:${x_offset ?? 0}:${y_offset ?? 0}` : `gravity:${gravity}`)
  }
  return parts
}

export function parseTransformation(encoded: string): Transformation {
  const transformation: Record<string, string> = {}
  for (const part of encoded.split(',')) {
    const [name, value, x, y] = part.split(':')
    if (name && value && value !== 'undefined') transformation[name] = value
    if (name === 'gravity' && x !== undefined && y !== undefined)
      Object.assign(transformation, { x_offset: x, y_offset: y })
  }
  const parsed = Transformation.safeParse(transformation)
  return parsed.success ? parsed.data : {}
}

type SharpModule = typeof import('sharp').default

/** Loads sharp with the first image: most stacks never render one. @throws {StorageError} ServiceUnavailable */
export async function loadSharp(tell: () => void): Promise<SharpModule> {
  try {
    return (await importPart('sharp', () => import('sharp'), tell)).default
  } catch (cause) {
    if (!(cause instanceof FetchError)) throw cause
    throw storageError('ServiceUnavailable', {
      message: `Images are transformed by the package sharp: ${cause.message}`,
      cause,
    })
  }
}
