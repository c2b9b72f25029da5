import type { Settings } from '../database/db.ts'
import type { Claims, Principal } from '../kernel/service.ts'
import { quoteIdentifier, type Statement } from '../kernel/sql.ts'
import type { Plan } from './plan/model.ts'
import { headerText } from './request/header-text.ts'
import type { ApiRequest } from './request/request.ts'
import type { Known } from './schema-cache/holder.ts'

/** Who asks, and what they sent beside their wish. */
export type Caller = {
  readonly principal: Principal
  readonly headers: Headers
  /** The headers as they came, names and values in turn; null when the request came by no socket. */
  readonly rawHeaders: readonly string[] | null
}

/** Callers whose settings are remembered, with each of the resources that they ask for, and the most characters of one. */
const MOST = 500
const LONGEST = 4_000

type Remembered = { readonly claims: Claims; readonly settings: Settings }
const remembered = new WeakMap<Known, Map<string, Remembered>>()

/** What holds in the transaction of a request: who asks, what was asked, where names are looked for.
 *  @returns the same object when the same is asked again, so that it need not be written out anew for the database either. */
export function transactionSettings(caller: Caller, request: ApiRequest, plan: Plan, known: Known): Settings {
  const { principal, rawHeaders } = caller
  if (plan.kind === 'call' || rawHeaders === null) return settingsOf(caller, request, plan, known)
  const ofKnown = remembered.get(known) ?? new Map<string, Remembered>()
  remembered.set(known, ofKnown)
  const { schema, method, path, preferences } = request
  const key = [principal.role, schema, method, path, preferences.timezone, ...rawHeaders].join('\n')
  const found = ofKnown.get(key)
  // The claims of a token that comes again are the same object.
  if (found?.claims === principal.claims) return found.settings
  const settings = settingsOf(caller, request, plan, known)
  if (key.length > LONGEST) return settings
  const [oldest] = ofKnown.size >= MOST ? ofKnown.keys() : []
  if (oldest !== undefined) ofKnown.delete(oldest)
  ofKnown.set(key, { claims: principal.claims, settings })
  return settings
}

function settingsOf({ principal, headers }: Caller, request: ApiRequest, plan: Plan, known: Known): Settings {
  const { claims, role } = principal
  const { schema, method, path, preferences } = request
  const { timezone } = preferences
  return {
    ...known.sessionSettings,
    search_path: [schema, ...known.settings.extraSearchPath].map(quoteIdentifier).join(', '),
    ...known.roleSettings.get(role)?.settings,
    'request.jwt.claims': JSON.stringify({ ...claims, role }),
    'request.method': method,
    'request.path': path,
    'request.headers': JSON.stringify(plainHeaders(headers)),
    'request.cookies': JSON.stringify(parseCookies(headers.get('cookie'))),
    ...(timezone === null ? {} : { timezone }),
    ...(plan.kind === 'call' ? plan.call.routine.settings : {}),
    role,
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
