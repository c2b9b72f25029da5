import { useQuery } from '@tanstack/react-query'
import { type OpenDocument, type Passage, passageQuery } from '../../features/reader/queries.ts'
import { isPdf, isQuoted, type ReadingTarget } from './document-model.ts'

/** Finds the passage in a document's URL by its id or quote. */
export function usePassage(library: string, document: OpenDocument, wanted: ReadingTarget): Passage | undefined {
  const { passage, quote } = wanted
  const isWanted = passage !== undefined || quote !== undefined
  const { data } = useQuery({
    ...passageQuery(library, document.id, { passage, quote }),
    enabled: isWanted && !isQuoted(wanted, isPdf(document)),
  })
  return data ?? undefined
}
