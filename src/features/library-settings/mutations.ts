import { mutationOptions } from '@tanstack/react-query'
import { t } from '../../lib/i18n.ts'
import { written } from '../../lib/outbox.ts'
import { supabase } from '../../lib/supabase.ts'

type Change = { name: string; description: string } | { require_second_factor: boolean }

export const changeLibrary = mutationOptions({
  mutationKey: written('change-library'),
  mutationFn: async ({ library, change }: { library: string; change: Change }) => {
    const { data } = await supabase.from('libraries').update(change).eq('id', library).select('id').throwOnError()
    if (data.length === 0) throw new Error(t('Only an owner of the library can change its settings.'))
  },
})

/** Rows go at once, the stored files with the next purge. */
export const deleteLibrary = mutationOptions({
  mutationFn: async (library: string) => {
    const { data } = await supabase.from('libraries').delete().eq('id', library).select('id').throwOnError()
    if (data.length === 0) throw new Error(t('Only an owner of the library can delete it.'))
  },
})
