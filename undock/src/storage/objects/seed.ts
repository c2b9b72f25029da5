import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { Config } from '../../config/config.ts'
import { ifMissing } from '../../kernel/promises.ts'
import { bucketOf } from '../buckets/buckets.ts'
import { isValidKey, sizeLimit } from '../buckets/limits.ts'
import type { StorageCaller } from '../caller.ts'
import type { StorageDeps } from '../deps.ts'
import { commitObject, metadataOf } from './upload.ts'

const BY_EXTENSION: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  bmp: 'image/bmp',
  css: 'text/css; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  epub: 'application/epub+zip',
  gif: 'image/gif',
  gz: 'application/gzip',
  htm: 'text/html; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  m4a: 'audio/mp4',
  md: 'text/markdown; charset=utf-8',
  mov: 'video/quicktime',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  odt: 'application/vnd.oasis.opendocument.text',
  ogg: 'audio/ogg',
  pdf: 'application/pdf',
  png: 'image/png',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  txt: 'text/plain; charset=utf-8',
  wasm: 'application/wasm',
  wav: 'audio/wav',
  webm: 'video/webm',
  webp: 'image/webp',
  woff2: 'font/woff2',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'text/xml; charset=utf-8',
  zip: 'application/zip',
}

/** Seed files have no content type, so it's guessed from the name. */
function mimeTypeOfName(name: string): string {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return BY_EXTENSION[extension] ?? 'application/octet-stream'
}

/** Uploads the files below a bucket's `objects_path` under their relative paths, skipping invalid ones with a log. */
export async function seedObjects(config: Config['storage'], caller: StorageCaller, deps: StorageDeps): Promise<void> {
  for (const [bucket, { objects_path: folder }] of Object.entries(config.buckets)) {
    if (folder === '') continue
    const row = await bucketOf(bucket, caller, deps)
    for (const file of await filesBelow(folder)) {
      const key = relative(folder, file).split(sep).join('/')
      if (!isValidKey(key)) {
        deps.log.warn(`storage: no object can have the name of the seed file ${key}`, { bucket })
        continue
      }
      await seedObject({ file, bucket, key, limit: sizeLimit(row, key, deps) }, caller, deps)
    }
  }
}

async function seedObject(
  {
    file,
    bucket,
    key,
    limit,
  }: { readonly file: string; readonly bucket: string; readonly key: string; readonly limit: number },
  caller: StorageCaller,
  deps: StorageDeps,
) {
  const version = randomUUID()
  const written = await deps.content.write({ bucket, version }, createReadStream(file), limit)
  const metadata = metadataOf(written, {
    mimeType: mimeTypeOfName(key),
    cacheControl: 'max-age=3600',
    robotsTag: undefined,
  })
  await commitObject({ bucket, key, owner: null, version, metadata, userMetadata: null }, true, caller, deps)
}

/** A missing folder is empty: config.toml may name it before it exists. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(ifMissing([]))
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}
