import type { Db } from '../database/db.ts'
import { createRouter } from '../kernel/router.ts'
import type { RequestContext, RequestHandler } from '../kernel/service.ts'
import { sql, statement } from '../kernel/sql.ts'
import { splitUrl } from '../kernel/url.ts'

const PREFIX = '/rest-admin/v1'

type Check = (context: RequestContext) => number | Promise<number>

/** `/rest-admin/v1/live` and `/ready`: whether the Data API can answer, by the status alone. As upstream they need no key,
 *  so the other pages of PostgREST's admin server, which describe the whole database, are not there.
 *  @see PostgREST docs/references/admin_server.rst
 *  @see supabase/cli internal/start/templates/kong.yml (rest-admin-v1) */
export function createRestAdmin({ rest, db }: { readonly rest: RequestHandler; readonly db: Db }): RequestHandler {
  const router = createRouter<{ method: string; path: string; check: Check }>([
    { method: '*', path: '/live', check: () => 200 },
    { method: '*', path: '/ready', check: readiness },
  ])

  /** 503 while the schema cache cannot be loaded or the database does not answer. */
  async function readiness(context: RequestContext): Promise<number> {
    const { status } = await rest(new Request('http://localhost/rest/v1/', { method: 'OPTIONS' }), context)
    if (status !== 200) return 503
    return db.query(statement(sql`select 1`)).then(
      () => 200,
      () => 503,
    )
  }

  return async (request, context) => {
    const match = router.find(request.method, splitUrl(request.url).pathname.slice(PREFIX.length).split('/').slice(1))
    return new Response(null, { status: match.kind === 'found' ? await match.route.check(context) : 404 })
  }
}
