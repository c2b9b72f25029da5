import { createBrowserClient } from '@supabase/ssr'
import type { Database } from '../../../supabase/functions/_shared/database.ts'
import { env } from './env.ts'
import { fetchWithReadDeadline } from './read-deadline.ts'

/** The one client. The session lives in cookies, so every tab has it and a server could read it.
 *  `/auth/callback` exchanges codes itself, to be able to say why a link does not work. */
export const supabase = createBrowserClient<Database>(env.supabaseUrl, env.publishableKey, {
  auth: { detectSessionInUrl: false },
  // The query client retries. Two layers of retries would multiply the wait.
  db: { retry: false },
  global: { fetch: fetchWithReadDeadline },
})
