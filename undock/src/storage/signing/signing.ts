import { z } from 'zod'
import { checkKey, MAX_OBJECTS_PER_REQUEST } from '../buckets/limits.ts'
import { ownerOf, rowsOf, runAs, type StorageCaller } from '../caller.ts'
import type { StorageDeps } from '../deps.ts'
import { wholeNumber } from '../http/validation.ts'
import { encodeTransformation, Transformation } from '../images/images.ts'
import { findObject } from '../objects/objects.ts'
import { findObjectNames } from '../objects/rows.ts'
import { checkUpload, targetOf } from '../objects/upload.ts'
import { checkNoVersion } from '../objects/versioning.ts'

/** Seconds; the ceiling keeps the end within what a date can hold. */
const expiresIn = wholeNumber(1, 8_000_000_000)

export const SignBody = z.object({ expiresIn, transform: Transformation.optional(), versionId: z.string().optional() })
export const SignManyBody = z.object({ expiresIn, paths: z.array(z.string()).min(1).max(MAX_OBJECTS_PER_REQUEST) })

export type SignedPath = { error: string | null; path: string; signedURL: string | null }

/** A link to read one object, for whoever may read it now. @throws {StorageError} NoSuchKey, FeatureNotEnabled */
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

/** Links to many objects; what the caller cannot see gets an error of its own in its place. */
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

/** A link to write one object, if the caller may write it now. @throws {StorageError} AccessDenied, KeyAlreadyExists */
export async function signUpload(
  { bucket, key, options }: { readonly bucket: string; readonly key: string; readonly options: SignUploadOptions },
  caller: StorageCaller,
  deps: StorageDeps,
): Promise<{ url: string; token: string }> {
  await checkUpload(
    {
      target: targetOf({ bucket, key: checkKey(key), upsert: options.upsert }, caller),
      metadata: options.metadata,
      userMetadata: options.userMetadata,
    },
    caller,
    deps,
  )
  const token = await deps.signer.signUpload(`${bucket}/${key}`, { owner: ownerOf(caller), upsert: options.upsert })
  return { url: signedUrl('object/upload/sign', bucket, key, token), token }
}

/** Clients encode the URL themselves; only a question mark in a key would end its path too early. */
const signedUrl = (path: string, bucket: string, key: string, token: string): string =>
  `/${path}/${`${bucket}/${key}`.replaceAll('?', '%3F')}?token=${token}`
