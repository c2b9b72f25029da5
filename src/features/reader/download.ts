import { supabase } from '../../lib/backend/supabase.ts'

const SECONDS = 60

/** Downloads a stored file under its original name, by an address that works for a minute. */
export async function saveFile({ path, name }: { path: string; name: string }): Promise<void> {
  const { data, error } = await supabase.storage.from('documents').createSignedUrl(path, SECONDS, { download: name })
  if (error) throw error
  location.assign(data.signedUrl)
}
