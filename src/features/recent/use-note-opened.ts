import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { noteOpened } from './mutations.ts'

/** Notes that the person has opened a document. A failure is not shown: nothing of the document depends on it. */
export function useNoteOpened(document: string): void {
  const { mutate } = useMutation(noteOpened)
  useEffect(() => mutate(document), [document, mutate])
}
