import type { Settings } from '../database/db.ts'
import type { Claims, Principal } from '../kernel/service.ts'
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
  known: Known,
): Settings {
  const { timezone } = request.preferences
  return {
    ...standingSettings(known, request.schema, principal.role),
    'request.jwt.claims': claimsText(principal),
    'request.method': request.method,
    'request.path': request.path,
    'request.headers': JSON.stringify(plainHeaders(headers)),
    'request.cookies': JSON.stringify(parseCookies(headers.get('cookie'))),
    ...(timezone === null ? {} : { timezone }),
    ...(plan.kind === 'call' ? plan.call.routine.settings : {}),
    role: principal.role,
  }
}

const standing = new WeakMap<Known, Map<string, Settings>>()

/** What holds in each request of a role to a schema, until something else is known of the database. */
function standingSettings(known: Known, schema: string, role: string): Settings {
  const ofKnown = standing.get(known) ?? new Map<string, Settings>()
  standing.set(known, ofKnown)
  const key = `${schema}\0${role}`
  const kept = ofKnown.get(key)
  if (kept) return kept
  const made = {
    ...known.sessionSettings,
    search_path: [schema, ...known.settings.extraSearchPath].map(quoteIdentifier).join(', '),
    ...known.roleSettings.get(role)?.settings,
  }
  if (ofKnown.size < MOST_ROLES) ofKnown.set(key, made)
  return made
}

/** Tokens may name any role. */
const MOST_ROLES = 100

const claimsTexts = new WeakMap<Claims, { readonly role: string; readonly text: string }>()

/** The claims of a token that comes again are the same object. */
function claimsText({ role, claims }: Principal): string {
  const kept = claimsTexts.get(claims)
  if (kept?.role === role) return kept.text
  const text = JSON.stringify({ ...claims, role })
  claimsTexts.set(claims, { role, text })
  return text
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
