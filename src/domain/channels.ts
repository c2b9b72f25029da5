import { queryOptions } from '@tanstack/react-query'
import { supabase } from '../lib/backend/supabase.ts'
import { keys } from './keys.ts'

/** With which number the topics of a library's channels end now. It rises whenever somebody may have lost a right, so that the channels
 *  are joined again with the rights of now. */
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
