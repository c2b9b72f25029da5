import { supabase } from '../../lib/backend/supabase.ts'

/** Whether this person has a second factor enrolled and this session has not yet shown it.
 *  Decides which screen comes next; what a session without it may read is decided by the database. */
export async function needsSecondFactor(): Promise<boolean> {
  const { data } = await supabase.auth.mfa.getAuthenticatorAssuranceLevel()
  return data?.nextLevel === 'aal2' && data.currentLevel === 'aal1'
}
