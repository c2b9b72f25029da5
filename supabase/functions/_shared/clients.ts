import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import type { Database } from './database.ts'

export type Client = SupabaseClient<Database>

const OPTIONS = { auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false } }

/** Returns a client that acts as the caller, subject to row security. */
export function callerClient(request: Request): Client {
  const authorization = request.headers.get('Authorization') ?? ''
  return createClient<Database>(setting('SUPABASE_URL'), key('SUPABASE_PUBLISHABLE_KEYS', 'SUPABASE_ANON_KEY'), {
    ...OPTIONS,
    global: { headers: { Authorization: authorization } },
  })
}

/** Returns a client that acts as the project and bypasses row security. Check the caller's rights first. */
export function serviceClient(): Client {
  return createClient<Database>(
    setting('SUPABASE_URL'),
    key('SUPABASE_SECRET_KEYS', 'SUPABASE_SERVICE_ROLE_KEY'),
    OPTIONS,
  )
}

/** Calls the auth service's admin API, as the project, for requests the client library doesn't support.
 *  @param path Below `/auth/v1/admin`. */
export function askAuthAdmin(path: string, init: RequestInit): Promise<Response> {
  const secret = key('SUPABASE_SECRET_KEYS', 'SUPABASE_SERVICE_ROLE_KEY')
  return fetch(`${setting('SUPABASE_URL')}/auth/v1/admin${path}`, {
    ...init,
    headers: { 'content-type': 'application/json', apikey: secret, authorization: `Bearer ${secret}` },
    // The auth service may have to fetch an identity provider's metadata.
    signal: AbortSignal.timeout(20_000),
  })
}

export function visitorClient(): Client {
  return createClient<Database>(setting('SUPABASE_URL'), key('SUPABASE_PUBLISHABLE_KEYS', 'SUPABASE_ANON_KEY'), OPTIONS)
}

/** Whether the request has the project's secret key, in `apikey` or as a bearer token. */
export function isProject(request: Request): boolean {
  const given = request.headers.get('apikey') ?? request.headers.get('Authorization')?.replace(/^Bearer /i, '') ?? ''
  const named: Record<string, string> = JSON.parse(Deno.env.get('SUPABASE_SECRET_KEYS') ?? '{}')
  const known = [...Object.values(named), Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')]
  return known.some((secret) => secret !== undefined && secret !== '' && isSameSecret(given, secret))
}

/** Compares in constant time, so the timing reveals nothing about the secret. */
export function isSameSecret(one: string, other: string): boolean {
  if (one.length !== other.length) return false
  let difference = 0
  for (let index = 0; index < one.length; index++) difference |= one.charCodeAt(index) ^ other.charCodeAt(index)
  return difference === 0
}

/** Newer projects provide a JSON object of keys by name, older ones a single legacy JWT. */
function key(named: string, legacy: string): string {
  const keys = Deno.env.get(named)
  if (!keys) return setting(legacy)
  const parsed: Record<string, string> = JSON.parse(keys)
  return parsed.default ?? Object.values(parsed)[0] ?? setting(legacy)
}

function setting(name: string): string {
  const value = Deno.env.get(name)
  if (!value) throw new Error(`${name} is not set: the function runs outside a Supabase project.`)
  return value
}

/** Whether the caller is the database. @param key The request's `x-database-key` header. */
export async function isDatabase(service: Client, key: string | null): Promise<boolean> {
  return key !== null && (await service.rpc('is_database_call', { key }).throwOnError()).data === true
}
