import { showFailure } from '../../domain/failure-toast.ts'
import { supabase } from '../../lib/backend/supabase.ts'

/** Joins the libraries of the company with which the caller has just signed in. What stands against it, for example a library that is
 *  full, is shown in a toast: they are signed in all the same.
 *  @returns the ids of those that are new to them */
export async function joinByCompany(): Promise<string[]> {
  const { data, error } = await supabase.rpc('join_by_company')
  if (error) showFailure(error)
  return data ?? []
}
