import { supabase } from '../lib/backend/supabase.ts'

/** The public address of a person's picture. */
export const avatarUrl = (path: string | null): string | undefined =>
  path ? supabase.storage.from('avatars').getPublicUrl(path).data.publicUrl : undefined
