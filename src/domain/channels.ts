import { queryOptions } from '@tanstack/react-query'
import { supabase } from '../lib/backend/supabase.ts'
import { keys } from './keys.ts'

/** The number that ends the topics of a library's channels. It rises when someone may have lost a right, so that
 *  channels are joined again with current rights. */
export const channelEpochQuery = (library: string) =>
  queryOptions({
    queryKey: keys.channels(library),
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('library_channels')
        .select('epoch')
        .eq('library_id', library)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data?.epoch ?? null
    },
  })
