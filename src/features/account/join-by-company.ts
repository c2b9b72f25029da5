import { showFailure } from '../../domain/failure-toast.ts'
import { supabase } from '../../lib/backend/supabase.ts'

/** Joins the libraries of the company that the caller signed in with. Failures, such as a full library, only show a
 *  toast.
 *  @returns the ids of the newly joined libraries. */
export async function joinByCompany(): Promise<string[]> {
  const { data, error } = await supabase.rpc('join_by_company')
  if (error) showFailure(error)
  return data ?? []
}
