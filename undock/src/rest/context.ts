import type { Settings } from '../database/db.ts'
import type { Principal } from '../kernel/service.ts'
import { quoteIdentifier, type Statement } from '../kernel/sql.ts'
import type { Plan } from './plan/model.ts'
import { headerText } from './request/header-text.ts'
import type { ApiRequest } from './request/request.ts'
import type { Known } from './schema-cache/holder.ts'

/** Who asks, and what they sent beside their wish. */
export type Caller = { readonly principal: Principal; readonly headers: Headers }

/** What holds in the transaction of a request: who asks, what was asked, where names are looked for. */
export function transactionSettings(
  { principal, headers }: Caller,
  request: ApiRequest,
  plan: Plan,
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
    'request.headers': JSON.stringify(plainHeaders(headers)),
    'request.cookies': JSON.stringify(parseCookies(headers.get('cookie'))),
    ...(timezone === null ? {} : { timezone }),
    ...(plan.kind === 'call' ? plan.call.routine.settings : {}),
    role: principal.role,
  }
}

function plainHeaders(headers: Headers): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const [name, value] of headers) if (name !== 'cookie') plain[name] = headerText(value)
  return plain
}

function parseCookies(header: string | null): Record<string, string> {
  if (header === null) return {}
  const pairs = header.split(';').map((pair): [string, string] => {
    const equals = pair.indexOf('=')
    return equals === -1 ? [pair.trim(), ''] : [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]
  })
  return Object.fromEntries(pairs.filter(([name]) => name !== ''))
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
