import { useQuery } from '@tanstack/react-query'
import { foundDocumentsQuery, titlesQuery } from '../../features/documents/title-queries.ts'
import { membersQuery } from '../../features/members/queries.ts'
import { offeredPassagesQuery } from '../../features/search/queries.ts'

/** Letters from which on passages are looked for. */
const LEAST_LETTERS = 3

/** What a library has for the words. Documents are those that the backend finds by their titles; until it answers, or while it
 *  cannot, the newest titles that are in the cache stand for them. */
export function usePaletteFinds(library: string | undefined, collection: string | undefined, words: string) {
  const id = library ?? ''
  const isOpen = library !== undefined
  const find = (place: string | undefined) => ({ ...foundDocumentsQuery(id, words, place), retry: false })
  const { data: titles = [] } = useQuery({ ...titlesQuery(id), enabled: isOpen })
  const everywhere = useQuery({ ...find(undefined), enabled: isOpen && words !== '' })
  const nearby = useQuery({ ...find(collection), enabled: isOpen && collection !== undefined && words !== '' })
  const isLongEnough = isOpen && words.length >= LEAST_LETTERS
  const { data: passages = [] } = useQuery({ ...offeredPassagesQuery(id, words), enabled: isLongEnough })
  const { data: members = [] } = useQuery({ ...membersQuery(id), enabled: isOpen })
  const here = words === '' || collection === undefined ? [] : (nearby.data ?? [])
  const inCollection = new Set(here.map((document) => document.id))
  const found = words === '' || everywhere.isError ? undefined : everywhere.data
  return {
    here,
    found: found?.filter((document) => !inCollection.has(document.id)),
    titles,
    passages: isLongEnough ? passages : [],
    members,
  }
}
