import { sql, statement } from '../kernel/sql.ts'
import { bucketRoutes } from './buckets/routes.ts'
import { json, type Route, route } from './http/router.ts'
import { renderRoutes } from './images/routes.ts'
import { objectRoutes } from './objects/routes.ts'
import { vectorRoutes } from './vectors/routes.ts'

/** The release of storage-api whose contract this follows. */
const VERSION = '1.70.6'

/** Routes that concern neither buckets nor objects. */
const serviceRoutes: readonly Route[] = [
  route('GET|HEAD', '/status', 'anyone', 'storage.status', async () => new Response(null)),
  route('GET|HEAD', '/version', 'anyone', 'storage.version', async () => new Response(VERSION)),
  route('GET|HEAD', '/health', 'anyone', 'storage.health', async ({ deps }) => {
    const healthy = await deps.db.query(statement(sql`select id from storage.buckets limit 1`)).then(
      () => true,
      () => false,
    )
    return json({ healthy })
  }),
  // There is no cache between storage and its clients: there is nothing to purge.
  ...['/cdn', '/cdn/{path...}'].map((path) =>
    route('DELETE', path, 'service', 'storage.cdn.purge_object_cache', async () =>
      json({ message: 'success', statusCode: '200' }),
    ),
  ),
]

/** TUS. A client of a signed URL sends its token in the header `x-signature`, and a browser no credential with OPTIONS. The library
 *  would answer a GET with the bytes so far; upstream has no such route.
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
  // Loaded with the protocol itself: XML and signatures take time at the start.
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
