import { createBrowserClient } from '@supabase/ssr'
import type { Database } from '../../types/database.ts'
import { env } from './env.ts'

/** The one client. The session lives in cookies, so every tab has it and a server could read it.
 *  `/auth/callback` exchanges codes itself: it must be able to say why a link does not work. */
export const supabase = createBrowserClient<Database>(env.supabaseUrl, env.publishableKey, {
  auth: { detectSessionInUrl: false },
  // The query client tries again; two layers that do would multiply their waits.
  db: { retry: false },
})
