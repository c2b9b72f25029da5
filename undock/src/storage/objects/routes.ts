import { z } from 'zod'
import { checkBucketName, checkKey, MAX_OBJECTS_PER_REQUEST } from '../buckets/limits.ts'
import { asService } from '../caller.ts'
import { invalidRequest } from '../errors.ts'
import { type Call, json, type Route, route } from '../http/router.ts'
import { readJson } from '../http/validation.ts'
import { SignBody, SignManyBody, signObject, signObjects, signUpload } from '../signing/signing.ts'
import { assetHeaders, download } from './download.ts'
import { ListQuery, ListV2Query, listObjects, listObjectsV2 } from './listing.ts'
import {
  deleteObject,
  deleteObjects,
  findObject,
  findPublicObject,
  findReadableObject,
  objectBody,
  objectInfo,
} from './objects.ts'
import { checkNoVersion, type ObjectRow, refuseVersion } from './rows.ts'
import { CopyBody, copyObject, MoveBody, moveObject } from './transfers.ts'
import { targetOf, type UploadTarget, uploadObject } from './upload.ts'
import { parseUserMetadata } from './upload-source.ts'

const Named = z.union([z.string(), z.object({ path: z.string(), versionId: z.string() })])
const DeleteBody = z.object({ prefixes: z.array(Named).min(1) })

const READABLE = [
  ['key', '/authenticated/{bucket}/{key...}'],
  ['optional', '/{bucket}/{key...}'],
] as const

/** `/object/…`, in matching order: fixed words before bucket names.
 *  @see storage-api src/http/routes/object and operations.ts */
export const objectRoutes: readonly Route[] = [
  route('POST', '/object/copy', 'key', 'storage.object.copy', copy),
  route('POST', '/object/move', 'key', 'storage.object.move', move),
  route('POST', '/object/list/{bucket}', 'key', 'storage.object.list', async ({ request, bucket, caller, deps }) =>
    json(await listObjects(checkBucketName(bucket), await readJson(request, ListQuery), caller, deps)),
  ),
  route(
    'POST',
    '/object/list-v2/{bucket}',
    'key',
    'storage.object.list_v2',
    async ({ request, bucket, caller, deps }) =>
      json(await listObjectsV2(checkBucketName(bucket), await readJson(request, ListV2Query), caller, deps)),
  ),
  route('POST', '/object/upload/sign/{bucket}/{key...}', 'key', 'storage.object.sign_upload_url', async (call) => {
    const { request, bucket, key, caller, deps } = call
    const metadata = request.headers.get('x-metadata')
    const options = {
      upsert: wantsUpsert(request),
      userMetadata: metadata === null ? null : parseUserMetadata(Buffer.from(metadata, 'base64').toString('utf8')),
      metadata: {
        mimetype: request.headers.get('content-type') ?? undefined,
        contentLength: Number(request.headers.get('content-length')) || undefined,
      },
    }
    return json(await signUpload({ bucket: checkBucketName(bucket), key, options }, caller, deps))
  }),
  route('PUT', '/object/upload/sign/{bucket}/{key...}', 'anyone', 'storage.object.upload_signed', async (call) => {
    const { bucket, key } = named(call)
    const { owner, upsert } = await call.deps.signer.verifyUpload(tokenOf(call), `${bucket}/${key}`)
    const { Key } = await store(call, { bucket, key, upsert, owner: owner ?? null }, { asTheService: true })
    return json({ Key })
  }),
  route('POST', '/object/sign/{bucket}/{key...}', 'key', 'storage.object.sign', async (call) => {
    const { request, bucket, key, caller, deps } = call
    return json(
      await signObject({ bucket: checkBucketName(bucket), key, body: await readJson(request, SignBody) }, caller, deps),
    )
  }),
  route('POST', '/object/sign/{bucket}', 'key', 'storage.object.sign_many', async ({ request, bucket, caller, deps }) =>
    json(
      await signObjects({ bucket: checkBucketName(bucket), body: await readJson(request, SignManyBody) }, caller, deps),
    ),
  ),
  route('GET|HEAD', '/object/sign/{bucket}/{key...}', 'anyone', 'storage.object.get_signed', async (call) => {
    const { bucket, key } = named(call)
    const { exp } = await call.deps.signer.verifyDownload(tokenOf(call), `${bucket}/${key}`)
    const row = await findObject(bucket, key, asService(call.caller), call.deps)
    return respond(call, row, new Date(exp * 1000))
  }),
  route('GET|HEAD', '/object/info/public/{bucket}/{key...}', 'anyone', 'storage.object.info_public', async (call) =>
    info(await publicObject(call)),
  ),
  ...READABLE.map(([access, path]) =>
    route('GET|HEAD', `/object/info${path}`, access, 'object.get_authenticated_info', async (call) =>
      info(await readable(call)),
    ),
  ),
  route('GET', '/object/public/{bucket}/{key...}', 'anyone', 'storage.object.get_public', async (call) =>
    respond(call, await publicObject(call)),
  ),
  route('HEAD', '/object/public/{bucket}/{key...}', 'anyone', 'storage.object.info_public', async (call) =>
    head(await publicObject(call)),
  ),
  ...READABLE.flatMap(([access, path]) => [
    route('GET', `/object${path}`, access, 'storage.object.get_authenticated', async (call) =>
      respond(call, await readable(call)),
    ),
    route('HEAD', `/object${path}`, access, 'object.head_authenticated_info', async (call) =>
      head(await readable(call)),
    ),
  ]),
  route('POST', '/object/{bucket}/{key...}', 'key', 'storage.object.upload', async (call) =>
    json(
      await store(
        call,
        targetOf({ bucket: call.bucket, key: call.key, upsert: wantsUpsert(call.request) }, call.caller),
      ),
    ),
  ),
  route('PUT', '/object/{bucket}/{key...}', 'key', 'storage.object.upload_update', async (call) =>
    json(await store(call, targetOf({ bucket: call.bucket, key: call.key, upsert: true }, call.caller))),
  ),
  route(
    'DELETE',
    '/object/{bucket}/{key...}',
    'key',
    'storage.object.delete',
    async ({ bucket, key, caller, deps }) => {
      await deleteObject(checkBucketName(bucket), key, caller, deps)
      return json({ message: 'Successfully deleted' })
    },
  ),
  route('DELETE', '/object/{bucket}', 'key', 'storage.object.delete_many', removeMany),
]

const wantsUpsert = (request: Request): boolean => request.headers.get('x-upsert') === 'true'

/** @throws {StorageError} InvalidBucketName, InvalidKey, FeatureNotEnabled */
export function named({ bucket, key, query }: Call): { bucket: string; key: string } {
  checkNoVersion(query.get('versionId'))
  return { bucket: checkBucketName(bucket), key: checkKey(key) }
}

export function tokenOf({ query }: Call): string {
  const token = query.get('token')
  if (token === null) throw invalidRequest("querystring must have required property 'token'", 'Error')
  return token
}

export function publicObject(call: Call): Promise<ObjectRow> {
  const { bucket, key } = named(call)
  return findPublicObject(bucket, key, call.caller, call.deps)
}

function readable(call: Call): Promise<ObjectRow> {
  const { bucket, key } = named(call)
  return findReadableObject(bucket, key, call.caller, call.deps)
}

/** Responds with the content; a HEAD without an own answer upstream gets a GET's headers. */
function respond({ request, query, deps }: Call, row: ObjectRow, expires?: Date): Promise<Response> | Response {
  const options = { download: query.get('download') ?? undefined, expires }
  return request.method === 'HEAD' ? head(row) : download(request, row, options, deps)
}

function head(row: ObjectRow): Response {
  const headers = assetHeaders(row, { download: undefined })
  if (row.metadata?.size !== undefined) headers.set('content-length', String(row.metadata.size))
  return new Response(null, { headers })
}

function info(row: ObjectRow): Response {
  const asset = assetHeaders(row, { download: undefined })
  const headers = new Headers()
  for (const name of ['etag', 'last-modified', 'cache-control']) {
    const value = asset.get(name)
    if (value !== null) headers.set(name, value)
  }
  return json(objectInfo(row), { headers })
}

async function store(
  { request, caller, deps }: Call,
  target: UploadTarget,
  { asTheService = false }: { readonly asTheService?: boolean } = {},
) {
  checkBucketName(target.bucket)
  const row = await uploadObject(request, target, asTheService ? asService(caller) : caller, deps)
  return { Id: row.id, Key: `${target.bucket}/${target.key}` }
}

async function copy({ request, caller, deps }: Call): Promise<Response> {
  const body = await readJson(request, CopyBody)
  checkNoVersion(body.sourceVersionId)
  const metadata = request.headers.get('x-metadata')
  const options = {
    upsert: wantsUpsert(request),
    userMetadata: metadata === null ? null : parseUserMetadata(Buffer.from(metadata, 'base64').toString('utf8')),
  }
  const row = await copyObject(body, options, caller, deps)
  return json({ Id: row.id, Key: `${row.bucket_id}/${row.name}`, ...objectBody(row) })
}

async function move({ request, caller, deps }: Call): Promise<Response> {
  const body = await readJson(request, MoveBody)
  checkNoVersion(body.sourceVersionId)
  const row = await moveObject(body, caller, deps)
  return json({ message: 'Successfully moved', Id: row.id, Key: row.name })
}

async function removeMany({ request, bucket, caller, deps }: Call): Promise<Response> {
  const { prefixes } = await readJson(request, DeleteBody)
  if (prefixes.length > MAX_OBJECTS_PER_REQUEST) {
    throw invalidRequest(`Bulk object requests are limited to ${MAX_OBJECTS_PER_REQUEST} objects per request.`)
  }
  const keys = prefixes.map((one) => (typeof one === 'string' ? one : refuseVersion()))
  return json((await deleteObjects(checkBucketName(bucket), keys, caller, deps)).map(objectBody))
}
