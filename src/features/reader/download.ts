import { supabase } from '../../lib/supabase.ts'

const SECONDS = 60

/** Lets the browser save a stored file under the person's own name for it, by an address that works for a minute. */
export async function saveFile({ path, name }: { path: string; name: string }): Promise<void> {
  const { data, error } = await supabase.storage.from('documents').createSignedUrl(path, SECONDS, { download: name })
  if (error) throw error
  location.assign(data.signedUrl)
}
