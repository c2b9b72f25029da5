import type { TransactionOptions } from '../database/db.ts'
import { quoteIdentifier } from '../kernel/sql.ts'
import type { Plan } from './plan/model.ts'
import { type ApiRequest, headerText } from './request/request.ts'
import type { RestCaller } from './request-context.ts'
import type { Catalog } from './schema-cache/catalog-loader.ts'

export type TransactionSettings = Required<Pick<TransactionOptions, 'settings' | 'access'>> &
  Pick<TransactionOptions, 'preparedSettings'>

/** Returns a transaction's settings: role, claims, search path, and the request as visible to functions and policies. */
export function transactionSettings(
  { principal, headers }: RestCaller,
  { request, plan }: { readonly request: ApiRequest; readonly plan: Plan },
  catalog: Catalog,
): TransactionSettings {
  const { claims, role } = principal
  const { schema, method, path, preferences } = request
  const { timezone } = preferences
  const settings = {
    ...catalog.sessionSettings,
    search_path: [schema, ...catalog.settings.extraSearchPath].map(quoteIdentifier).join(', '),
    ...catalog.roleSettings.get(role)?.settings,
    'request.jwt.claims': JSON.stringify({ ...claims, role }),
    'request.method': method,
    'request.path': path,
    'request.headers': JSON.stringify(plainHeaders(headers)),
    'request.cookies': JSON.stringify(parseCookies(headers.get('cookie'))),
    ...(timezone === null ? {} : { timezone }),
    ...(plan.kind === 'call' ? plan.call.routine.settings : {}),
    role,
  }
  return { settings, access: accessOf(plan) }
}

function accessOf(plan: Plan): 'read only' | 'read write' {
  switch (plan.kind) {
    case 'mutate':
      return 'read write'
    case 'call':
      return plan.method === 'POST' && plan.call.routine.volatility === 'volatile' ? 'read write' : 'read only'
    default:
      return 'read only'
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
