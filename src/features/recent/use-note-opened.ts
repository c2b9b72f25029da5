import { onlineManager, useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { defineMutation } from '../../lib/mutations.ts'

/** Notes that the person has opened a document. A failure is not shown: nothing of the document depends on it. Without network nothing
 *  is noted: it would be counted among the changes that wait to be sent. */
export function useNoteOpened(document: string): void {
  const { mutate } = useMutation(noteOpened)
  useEffect(() => {
    if (onlineManager.isOnline()) mutate(document)
  }, [document, mutate])
}

const noteOpened = defineMutation({
  mutationFn: async (document: string) => {
    await supabase.rpc('open_document', { document }).throwOnError()
  },
  invalidates: () => [keys.recent],
})
