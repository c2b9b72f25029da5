import { databaseQuery } from '../lib/backend/database-query.ts'
import { supabase } from '../lib/backend/supabase.ts'
import { keys } from './keys.ts'

/** The number that ends the topics of a library's channels. It rises when someone may have lost a right, so that
 *  channels are joined again with current rights. */
export const channelEpochQuery = (library: string) =>
  databaseQuery(
    keys.channels(library),
    () => supabase.from('library_channels').select('epoch').eq('library_id', library),
    ([row]) => row?.epoch ?? null,
  )
