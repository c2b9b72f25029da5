import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { describeAuthError } from '../../domain/auth-messages.ts'
import { signOut } from '../../features/account/mutations.ts'
import { collectionsQuery } from '../../features/collections/queries.ts'
import { documentSearchQuery, titlesQuery } from '../../features/documents/title-queries.ts'
import { useFavorites, useToggleFavorite } from '../../features/favorites/use-favorites.ts'
import { librariesQuery } from '../../features/libraries/queries.ts'
import { membersQuery } from '../../features/members/queries.ts'
import { CommandPalette } from '../../features/palette/command-palette.tsx'
import { documentQuery } from '../../features/reader/queries.ts'
import { recentQuery } from '../../features/recent/queries.ts'
import { offeredPassagesQuery } from '../../features/search/queries.ts'
import { EVERYWHERE, rememberSearch, useRecentSearches } from '../../features/search/recent-searches.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { showToast } from '../../lib/ui/toast.ts'
import { paletteGroups, paletteSearches } from './palette-groups.ts'

type PaletteProps = { open: boolean; onOpenChange: (open: boolean) => void; onShortcuts: () => void }

/** The command palette. Mounted only while open. */
export function Palette({ open, onOpenChange, onShortcuts }: PaletteProps) {
  const { user } = useSession()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const words = typed.trim()
  const place = usePlace(user.id)
  const { library, collection } = place
  const signingOut = useMutation({
    ...signOut,
    onError: (error) => showToast({ title: describeAuthError(error), failed: true }),
  })
  const { data: opened = [] } = useQuery(recentQuery)
  const { favorites, has: isFavorite } = useFavorites()
  const star = useToggleFavorite()
  const recent = useRecentSearches(user.id, library ?? '')
  const finds = usePaletteFinds(library, collection?.id, words)
  const acts = {
    go: navigate,
    search: (library: string, q: string, collection?: string) => {
      rememberSearch(user.id, library, q)
      void navigate({ to: '/l/$library/search', params: { library }, search: { q, collection } })
    },
    searchEverywhere: (q: string) => {
      rememberSearch(user.id, EVERYWHERE, q)
      void navigate({ to: '/search', search: { q } })
    },
    star,
    signOut: () => signingOut.mutate('local'),
    showShortcuts: onShortcuts,
  }
  const facts = { ...finds, libraries: place.libraries, opened, favorites, isFavorite, recent }
  return (
    <CommandPalette
      open={open}
      onOpenChange={onOpenChange}
      words={typed}
      onWords={setTyped}
      groups={paletteGroups({ ...place, words }, facts, acts)}
      searches={paletteSearches({ ...place, words }, acts)}
    />
  )
}

function usePlace(person: string) {
  const { library, document } = useParams({ strict: false })
  const { collection: wanted } = useSearch({ strict: false })
  const { data: libraries = [] } = useQuery(librariesQuery(person))
  const { data: collections = [] } = useQuery({ ...collectionsQuery(library ?? ''), enabled: wanted !== undefined })
  const { data: opened } = useQuery({
    ...documentQuery(library ?? '', document ?? ''),
    enabled: library !== undefined && document !== undefined,
  })
  const collection = collections.find(({ id }) => id === wanted)
  const role = libraries.find(({ id }) => id === library)?.role
  const ofDocument = library &&
    opened && { library, document: { ...opened, mime_type: opened.version?.mime_type ?? null } }
  const ofCollection = library && collection && { library, collection }
  return { libraries, library, role, document, collection, starred: ofDocument || ofCollection || undefined }
}

const MIN_LETTERS = 3

/** What the palette finds: documents by title from the backend, or the cache while waiting or offline. */
function usePaletteFinds(library: string | undefined, collection: string | undefined, words: string) {
  const id = library ?? ''
  const isOpen = library !== undefined
  const find = (place: string | undefined) => ({ ...documentSearchQuery(id, words, place), retry: false })
  const { data: titles = [] } = useQuery({ ...titlesQuery(id), enabled: isOpen })
  const everywhere = useQuery({ ...find(undefined), enabled: isOpen && words !== '' })
  const nearby = useQuery({ ...find(collection), enabled: isOpen && collection !== undefined && words !== '' })
  const isLongEnough = isOpen && words.length >= MIN_LETTERS
  const { data: passages = [] } = useQuery({ ...offeredPassagesQuery(id, words), enabled: isLongEnough })
  const { data: members = [] } = useQuery({ ...membersQuery(id), enabled: isOpen })
  const here = words === '' || collection === undefined ? [] : (nearby.data ?? [])
  const inCollection = new Set(here.map((document) => document.id))
  const results = words === '' || everywhere.isError ? undefined : everywhere.data
  return {
    here,
    found: results?.filter((document) => !inCollection.has(document.id)),
    titles,
    passages: isLongEnough ? passages : [],
    members,
  }
}
