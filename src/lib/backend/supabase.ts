import { createBrowserClient } from '@supabase/ssr'
import type { Database } from '../../../supabase/functions/_shared/database.ts'
import { env } from './env.ts'
import { fetchWithReadDeadline } from './read-deadline.ts'

/** The only client. The session is in cookies, which all tabs share and a server could read.
 *  `/auth/callback` exchanges codes itself, to explain failing links. */
export const supabase = createBrowserClient<Database>(env.supabaseUrl, env.publishableKey, {
  auth: { detectSessionInUrl: false },
  // The query client retries; two layers would multiply the wait.
  db: { retry: false },
  global: { fetch: fetchWithReadDeadline },
})
