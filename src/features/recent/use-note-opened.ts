import { onlineManager, useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { defineMutation } from '../../lib/mutations.ts'

/** Records that the document was opened. Fails silently; skipped offline, where it would count as an unsent change. */
export function useNoteOpened(document: string): void {
  const { mutate } = useMutation(noteOpened)
  useEffect(() => {
    if (onlineManager.isOnline()) mutate(document)
  }, [document, mutate])
}

const noteOpened = defineMutation({
  mutationFn: (document: string) => supabase.rpc('open_document', { document }).throwOnError(),
  invalidates: () => [keys.recent],
})
