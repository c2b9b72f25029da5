import { createClient, type SupabaseClient } from '@supabase/supabase-js'

const OPTIONS = { auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false } }

/** Acts as the person who called: row security decides what it sees. */
export function callerClient(request: Request): SupabaseClient {
  const authorization = request.headers.get('Authorization') ?? ''
  return createClient(setting('SUPABASE_URL'), key('SUPABASE_PUBLISHABLE_KEYS', 'SUPABASE_ANON_KEY'), {
    ...OPTIONS,
    global: { headers: { Authorization: authorization } },
  })
}

/** Acts as the project itself, past row security: only after the caller's right has been asked for. */
export function serviceClient(): SupabaseClient {
  return createClient(setting('SUPABASE_URL'), key('SUPABASE_SECRET_KEYS', 'SUPABASE_SERVICE_ROLE_KEY'), OPTIONS)
}

/** Newer projects hand their functions a JSON object of keys by name, older ones a single legacy JWT. */
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
