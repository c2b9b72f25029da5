import { sql, statement } from '../kernel/sql.ts'
import { json, type Route, route } from './router.ts'

/** The release of storage-api whose contract this follows. */
const VERSION = '1.70.6'

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
]
