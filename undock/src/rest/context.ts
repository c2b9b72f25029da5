import type { Settings } from '../database/db.ts'
import type { Principal } from '../kernel/service.ts'
import { quoteIdentifier, type Statement } from '../kernel/sql.ts'
import type { Plan } from './plan/model.ts'
import type { ApiRequest } from './request/request.ts'
import type { Known } from './schema-cache/holder.ts'

/** What holds in the transaction of a request: who asks, what was asked, where names are looked for. */
export function transactionSettings(
  request: ApiRequest,
  plan: Plan,
  principal: Principal,
  { settings, sessionSettings, roleSettings }: Known,
): Settings {
  const { timezone } = request.preferences
  return {
    ...sessionSettings,
    search_path: [request.schema, ...settings.extraSearchPath].map(quoteIdentifier).join(', '),
    ...roleSettings.get(principal.role)?.settings,
    'request.jwt.claims': JSON.stringify({ ...principal.claims, role: principal.role }),
    'request.method': request.method,
    'request.path': request.path,
    'request.headers': JSON.stringify(request.headers),
    'request.cookies': JSON.stringify(request.cookies),
    ...(timezone === null ? {} : { timezone }),
    ...(plan.kind === 'call' ? plan.call.routine.settings : {}),
    role: principal.role,
  }
}

/** A request that must not write does so in a transaction that cannot. */
export function accessOf(plan: Plan): 'read only' | 'read write' {
  switch (plan.kind) {
    case 'mutate':
      return 'read write'
    case 'call':
      return plan.method === 'POST' && plan.call.routine.volatility === 'volatile' ? 'read write' : 'read only'
    default:
      return 'read only'
  }
}

/** The function that checks every request. Its name comes from `alter role authenticator set pgrst.db_pre_request`. */
export const preRequestStatement = (name: string): Statement => ({
  text: `select ${name.split('.').map(quoteIdentifier).join('.')}()`,
  values: [],
})
