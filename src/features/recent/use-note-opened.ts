import { onlineManager, useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { noteOpened } from './mutations.ts'

/** Notes that the person has opened a document. A failure is not shown: nothing of the document depends on it. Without network nothing
 *  is noted: it would be counted among the changes that wait to be sent. */
export function useNoteOpened(document: string): void {
  const { mutate } = useMutation(noteOpened)
  useEffect(() => {
    if (onlineManager.isOnline()) mutate(document)
  }, [document, mutate])
}
