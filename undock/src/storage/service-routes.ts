import { sql, statement } from '../kernel/sql.ts'
import { storageError } from './errors.ts'
import { json, type Route, route } from './router.ts'

/** The release of storage-api whose contract this follows. */
const VERSION = '1.60.2'

const later = (what: string) => async () => {
  throw storageError('NotSupported', { message: `${what} not available on this stack yet` })
}

/** Routes that concern neither buckets nor objects. */
export const serviceRoutes: readonly Route[] = [
  route('GET|HEAD', '/status', 'anyone', 'storage.status', async () => new Response(null)),
  route('GET|HEAD', '/version', 'anyone', 'storage.version', async () => new Response(VERSION)),
  route('GET|HEAD', '/health', 'anyone', 'storage.health', async ({ deps }) => {
    const healthy = await deps.db.query(statement(sql`select id from storage.buckets limit 1`)).then(
      () => true,
      () => false,
    )
    return json({ healthy })
  }),
  // No cache stands between storage and its clients: there is nothing to purge.
  ...['/cdn', '/cdn/{path...}'].map((path) =>
    route('DELETE', path, 'service', 'storage.cdn.purge_object_cache', async () =>
      json({ message: 'success', statusCode: '200' }),
    ),
  ),
  route(
    'GET|HEAD|POST|PUT|DELETE',
    '/iceberg/{path...}',
    'anyone',
    'storage.iceberg',
    later('Analytics buckets (Iceberg) are'),
  ),
]
