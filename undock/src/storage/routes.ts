import { execute } from '../database/db.ts'
import {
  BucketQuery,
  bucketBody,
  CreateBucketBody,
  createBucket,
  deleteBucket,
  emptyBucket,
  getBucket,
  listBuckets,
  listedBucketBody,
  UpdateBucketBody,
  updateBucket,
} from './buckets/buckets.ts'
import { asService } from './caller.ts'
import { storageError } from './errors.ts'
import { type Call, json, type Route, route } from './http/router.ts'
import { parse, readJson } from './http/validation.ts'
import { ImageRenderer, parseTransformation, Transformation } from './images/images.ts'
import { findObject } from './objects/objects.ts'
import { named, objectRoutes, publicObject, tokenOf } from './objects/routes.ts'
import { type ObjectRow, refuseLifecycle } from './objects/rows.ts'
import { vectorRoutes } from './vectors/routes.ts'

/** Shared by all stacks of the process, because it limits the machine's work. */
const renderer = new ImageRenderer()

const render = (call: Call, row: ObjectRow, transformation: Transformation, expires?: Date) =>
  renderer.render(
    call.request,
    row,
    transformation,
    { download: call.query.get('download') ?? undefined, expires },
    call.deps,
  )

/** `/render/image/…` @see storage-api src/http/routes/render */
const renderRoutes: readonly Route[] = [
  route('GET|HEAD', '/render/image/public/{bucket}/{key...}', 'anyone', 'storage.render.image_public', async (call) => {
    const transformation = transformationOf(call)
    return render(call, await publicObject(call), transformation)
  }),
  route(
    'GET|HEAD',
    '/render/image/authenticated/{bucket}/{key...}',
    'key',
    'storage.render.image_authenticated',
    async (call) => {
      const transformation = transformationOf(call)
      const { bucket, key } = named(call)
      return render(call, await findObject(bucket, key, call.caller, call.deps), transformation)
    },
  ),
  route('GET|HEAD', '/render/image/sign/{bucket}/{key...}', 'anyone', 'storage.render.image_sign', async (call) => {
    requireEnabled(call)
    const { bucket, key } = named(call)
    const token = await call.deps.signer.verifyDownload(tokenOf(call), `${bucket}/${key}`)
    const row = await findObject(bucket, key, asService(call.caller), call.deps)
    const transformation = parseTransformation(token.transformations ?? '')
    const format = token.format === 'origin' ? { format: 'origin' as const } : {}
    return render(call, row, { ...transformation, ...format }, new Date(token.exp * 1000))
  }),
]

function transformationOf(call: Call): Transformation {
  requireEnabled(call)
  return parse(Transformation, Object.fromEntries(call.query), 'querystring')
}

function requireEnabled({ deps }: Call): void {
  if (deps.config.image_transformation?.enabled) return
  throw storageError('FeatureNotEnabled', {
    message: 'Image transformation is off: set enabled = true under [storage.image_transformation] in config.toml',
  })
}

const bucketRoutes: readonly Route[] = [
  route('POST', '/bucket', 'key', 'storage.bucket.create', async ({ request, caller, deps }) =>
    json(await createBucket(await readJson(request, CreateBucketBody), caller, deps)),
  ),
  route('GET|HEAD', '/bucket', 'key', 'storage.bucket.list', async ({ query, caller, deps }) => {
    const page = parse(BucketQuery, Object.fromEntries(query), 'querystring')
    return json((await listBuckets(page, caller, deps)).map(listedBucketBody))
  }),
  route('POST', '/bucket/{bucket}/empty', 'service', 'storage.bucket.empty', async ({ bucket, caller, deps }) => {
    await emptyBucket(bucket, caller, deps)
    return json({ message: 'Empty bucket has been queued. Completion may take up to an hour.' })
  }),
  route('GET|HEAD', '/bucket/{bucket}', 'key', 'storage.bucket.get', async ({ bucket, caller, deps }) =>
    json(bucketBody(await getBucket(bucket, caller, deps))),
  ),
  route('PUT', '/bucket/{bucket}', 'key', 'storage.bucket.update', async ({ request, bucket, caller, deps }) => {
    await updateBucket(bucket, await readJson(request, UpdateBucketBody), caller, deps)
    return json({ message: 'Successfully updated' })
  }),
  route('DELETE', '/bucket/{bucket}', 'key', 'storage.bucket.delete', async ({ bucket, caller, deps }) => {
    await deleteBucket(bucket, caller, deps)
    return json({ message: 'Successfully deleted' })
  }),
  route('GET|HEAD|PUT|DELETE', '/bucket/{bucket}/lifecycle', 'key', 'storage.bucket.lifecycle', refuseLifecycle),
]

/** The release of storage-api whose contract this follows. */
const VERSION = '1.90.1'

const serviceRoutes: readonly Route[] = [
  route('GET|HEAD', '/status', 'anyone', 'storage.status', async () => new Response(null)),
  route('GET|HEAD', '/version', 'anyone', 'storage.version', async () => new Response(VERSION)),
  route('GET|HEAD', '/health', 'anyone', 'storage.health', async ({ deps }) => {
    const healthy = await execute(deps.db)`select id from storage.buckets limit 1`.then(
      () => true,
      () => false,
    )
    return json({ healthy })
  }),
  // There's no cache in front of storage, so nothing to purge.
  ...['/cdn', '/cdn/{path...}'].map((path) =>
    route('DELETE', path, 'service', 'storage.cdn.purge_object_cache', async () =>
      json({ message: 'success', statusCode: '200' }),
    ),
  ),
]

/** TUS. Signed URLs' clients send the token in `x-signature`, and browsers send no credential with OPTIONS. No GET as
 *  upstream: the library would answer with the bytes so far.
 *  @see storage-api src/http/routes/tus */
const resumableRoutes: readonly Route[] = [
  ...resumable('POST', 'upload.create'),
  ...resumable('PATCH', 'upload.part'),
  ...resumable('HEAD', 'upload.get'),
  ...resumable('DELETE', 'upload.delete'),
  ...resumable('OPTIONS', 'options'),
]

function resumable(method: string, operation: string): Route[] {
  const handle: Route['handle'] = ({ request, caller, deps }) => deps.resumable.handle(request, caller)
  const access = method === 'OPTIONS' ? 'anyone' : 'key'
  return [
    route(method, '/upload/resumable/sign', 'anyone', `storage.tus.${operation}_signed`, handle),
    route(method, '/upload/resumable/sign/{id}', 'anyone', `storage.tus.${operation}_signed`, handle),
    route(method, '/upload/resumable', access, `storage.tus.${operation}`, handle),
    route(method, '/upload/resumable/{id}', access, `storage.tus.${operation}`, handle),
  ]
}

/** @see storage-api src/http/routes/s3 */
const s3Routes: readonly Route[] = ['/s3', '/s3/{path...}'].map((path) => ({
  ...route('*', path, 'signature', 'storage.s3', async ({ request, caller, deps }) => {
    if (!deps.s3) throw new Error('The table has this row only while the S3 protocol is on')
    return deps.s3.handle(request, caller)
  }),
  // Loaded with the protocol: XML and signatures would delay the start.
  refuse: async (error, request) => (await import('./s3/index.ts')).refuse(error, request),
}))

export const storageRoutes: readonly Route[] = [
  ...serviceRoutes,
  ...s3Routes,
  ...resumableRoutes,
  ...bucketRoutes,
  ...objectRoutes,
  ...renderRoutes,
  ...vectorRoutes,
]
