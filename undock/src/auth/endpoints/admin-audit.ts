import { identifier, join, sql } from '../../kernel/sql.ts'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { type Call, json } from '../http/call.ts'
import { offsetOf, pageHeaders, readPage } from '../http/pagination.ts'
import { INSTANCE_ID } from '../models/users.ts'

const SCOPES: Readonly<Record<string, readonly string[]>> = {
  author: ['actor_username', 'actor_name'],
  action: ['action'],
  type: ['log_type'],
}

/** GET /admin/audit @see supabase/auth internal/api/audit.go */
export async function listAudit({ db }: AuthDeps, { request, query }: Call): Promise<Response> {
  const page = readPage(query)
  const where = sql`instance_id = ${INSTANCE_ID} ${matching(query.get('query') ?? '')}`
  const results = await db.run([
    sql`select count(*)::int as total from auth.audit_log_entries where ${where}`,
    sql`select ${identifier('id')}, payload, created_at, ip_address from auth.audit_log_entries where ${where}
      order by created_at desc, id limit ${page.perPage} offset ${offsetOf(page)}`,
  ])
  const total = Number(results[0]?.rows[0]?.total ?? 0)
  return json(results[1]?.rows ?? [], 200, pageHeaders(new URL(request.url), page, total))
}

function matching(query: string) {
  if (query === '') return sql``
  const [scope = '', text] = query.split(/:(.*)/s)
  const members = Object.hasOwn(SCOPES, scope) ? SCOPES[scope] : undefined
  if (!members || text === undefined) throw authError('auditQuery', [query])
  return sql`and (${join(
    members.map((member) => sql`payload ->> ${member} ilike ${`%${text}%`}`),
    ' or ',
  )})`
}
