import { supabase } from '../../lib/backend/supabase.ts'

/** Whether the person has a second factor that this session hasn't used. Only for navigation: the database enforces it. */
export async function needsSecondFactor(): Promise<boolean> {
  const { data } = await supabase.auth.mfa.getAuthenticatorAssuranceLevel()
  return data?.nextLevel === 'aal2' && data.currentLevel === 'aal1'
}
