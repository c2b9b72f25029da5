import { z } from 'zod'
import { checkKey, MAX_OBJECTS_PER_REQUEST } from '../buckets/limits.ts'
import { ownerOf, rowsOf, runAs, type StorageCaller } from '../caller.ts'
import type { StorageDeps } from '../deps.ts'
import { wholeNumber } from '../http/validation.ts'
import { encodeTransformation, Transformation } from '../images/images.ts'
import { findObject } from '../objects/objects.ts'
import { checkNoVersion, findObjectNames } from '../objects/rows.ts'
import { checkUpload } from '../objects/upload.ts'

/** Seconds; the maximum keeps the end within a date's range. */
const expiresIn = wholeNumber(1, 8_000_000_000)

export const SignBody = z.object({ expiresIn, transform: Transformation.optional(), versionId: z.string().optional() })
export const SignManyBody = z.object({ expiresIn, paths: z.array(z.string()).min(1).max(MAX_OBJECTS_PER_REQUEST) })

export type SignedPath = { error: string | null; path: string; signedURL: string | null }

/** Returns a link to read one object, if the caller may read it. @throws {StorageError} NoSuchKey, FeatureNotEnabled */
export async function signObject(
  {
    bucket,
    key,
    body: { expiresIn, transform, versionId },
  }: { readonly bucket: string; readonly key: string; readonly body: z.infer<typeof SignBody> },
  caller: StorageCaller,
  deps: StorageDeps,
): Promise<{ signedURL: string }> {
  checkNoVersion(versionId)
  await findObject(bucket, checkKey(key), caller, deps)
  const enabled = deps.config.image_transformation?.enabled === true
  const transformations = enabled ? encodeTransformation(transform ?? {}) : ''
  const token = await deps.signer.signDownload(`${bucket}/${key}`, expiresIn, {
    transformations,
    format: enabled ? (transform?.format ?? '') : '',
  })
  return { signedURL: signedUrl(transformations ? 'render/image/sign' : 'object/sign', bucket, key, token) }
}

/** Returns links to many objects; those that the caller can't see get an error in their place. */
export async function signObjects(
  { bucket, body: { expiresIn, paths } }: { readonly bucket: string; readonly body: z.infer<typeof SignManyBody> },
  caller: StorageCaller,
  { db, signer }: StorageDeps,
): Promise<SignedPath[]> {
  const [found] = await runAs(db, caller, [findObjectNames(bucket, paths)])
  const visible = new Set(rowsOf<{ name: string }>(found).map(({ name }) => name))
  return Promise.all(
    paths.map(async (path) => {
      if (!visible.has(path)) {
        return { error: 'Either the object does not exist or you do not have access to it', path, signedURL: null }
      }
      const token = await signer.signDownload(`${bucket}/${path}`, expiresIn)
      return { error: null, path, signedURL: signedUrl('object/sign', bucket, path, token) }
    }),
  )
}

export type SignUploadOptions = {
  readonly upsert: boolean
  readonly userMetadata: Record<string, unknown> | null
  readonly metadata: Readonly<Record<string, unknown>>
}

/** Returns a link to write an object, if the caller may. @throws {StorageError} AccessDenied, KeyAlreadyExists */
export async function signUpload(
  { bucket, key, options }: { readonly bucket: string; readonly key: string; readonly options: SignUploadOptions },
  caller: StorageCaller,
  deps: StorageDeps,
): Promise<{ url: string; token: string }> {
  const { upsert, ...content } = options
  const owner = ownerOf(caller)
  await checkUpload({ bucket, key: checkKey(key), owner, ...content }, upsert, caller, deps)
  const token = await deps.signer.signUpload(`${bucket}/${key}`, { owner, upsert })
  return { url: signedUrl('object/upload/sign', bucket, key, token), token }
}

/** Clients encode the URL themselves, but a question mark in a key would end its path. */
const signedUrl = (path: string, bucket: string, key: string, token: string): string =>
  `/${path}/${`${bucket}/${key}`.replaceAll('?', '%3F')}?token=${token}`
