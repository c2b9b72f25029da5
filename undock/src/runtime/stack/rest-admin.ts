import type { Db } from '../../database/db.ts'
import { createRouter, type RoutePattern, segmentsOf } from '../../kernel/router.ts'
import type { RequestContext, RequestHandler } from '../../kernel/service.ts'
import { sql, statement } from '../../kernel/sql.ts'
import { splitUrl } from '../../kernel/url.ts'

const PREFIX = '/rest-admin/v1'

type Checked = { readonly rest: RequestHandler; readonly db: Db }

/** Health of the Data API, by status only. Like upstream these need no key, so PostgREST's other admin pages, which
 *  describe the whole database, are missing.
 *  @see PostgREST docs/references/admin_server.rst
 *  @see supabase/cli internal/start/templates/kong.yml (rest-admin-v1) */
export const restAdminRoutes: readonly (RoutePattern<'anyone'> & {
  check(checked: Checked, context: RequestContext): number | Promise<number>
})[] = [
  { method: '*', path: '/live', access: 'anyone', check: () => 200 },
  { method: '*', path: '/ready', access: 'anyone', check: readiness },
]

const router = createRouter(restAdminRoutes)

/** Serves `/rest-admin/v1/live` and `/ready`. */
export function createRestAdmin(checked: Checked): RequestHandler {
  return async (request, context) => {
    const match = router.find(request.method, segmentsOf(splitUrl(request.url).pathname, PREFIX))
    return new Response(null, { status: match.kind === 'found' ? await match.route.check(checked, context) : 404 })
  }
}

/** 503 while the schema cache can't be loaded or the database doesn't answer. */
async function readiness({ rest, db }: Checked, context: RequestContext): Promise<number> {
  const { status } = await rest(new Request('http://localhost/rest/v1/', { method: 'OPTIONS' }), context)
  if (status !== 200) return 503
  return db.query(statement(sql`select 1`)).then(
    () => 200,
    () => 503,
  )
}
