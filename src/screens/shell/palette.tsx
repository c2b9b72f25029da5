import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import {
  Bell,
  BookA,
  ChartNoAxesColumn,
  Clock,
  Folder,
  History,
  Keyboard,
  LayoutGrid,
  Library,
  LibraryBig,
  LogOut,
  MessageCircleQuestion,
  Moon,
  NotebookPen,
  Palette as Paint,
  Rows2,
  Rows4,
  Search,
  Settings2,
  ShieldCheck,
  Star,
  Sun,
  TextQuote,
  Trash2,
  UserRound,
  Users,
} from 'lucide-react'
import { useState } from 'react'
import { describeAuthError } from '../../domain/auth-messages.ts'
import type { Role } from '../../domain/roles.ts'
import { signOut } from '../../features/account/mutations.ts'
import { collectionsQuery } from '../../features/collections/queries.ts'
import { describeKind } from '../../features/documents/kinds.ts'
import { type Starred, useFavorites, useToggleFavorite } from '../../features/favorites/use-favorites.ts'
import { librariesQuery } from '../../features/libraries/queries.ts'
import { CommandPalette, type PaletteAction, type PaletteGroup } from '../../features/palette/command-palette.tsx'
import { documentQuery } from '../../features/reader/queries.ts'
import { recentQuery } from '../../features/recent/queries.ts'
import { excerpt } from '../../features/search/hits.ts'
import { EVERYWHERE, rememberSearch, useRecentSearches } from '../../features/search/recent-searches.ts'
import { msg, t } from '../../lib/i18n/i18n.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { setAppearance } from '../../lib/ui/appearance.ts'
import { showToast } from '../../lib/ui/toast.ts'
import { usePaletteFinds } from './use-palette-finds.ts'

const PLACES = [
  { to: '/l/$library', label: msg('All documents'), icon: LayoutGrid, from: 'guest' },
  { to: '/l/$library/search', label: msg('Search'), icon: Search, from: 'guest' },
  { to: '/l/$library/ask', label: msg('Ask'), icon: MessageCircleQuestion, from: 'reader' },
  { to: '/l/$library/activity', label: msg('Activity'), icon: History, from: 'reader' },
  { to: '/l/$library/members', label: msg('Members'), icon: Users, from: 'reader' },
  { to: '/l/$library/insights', label: msg('Insights'), icon: ChartNoAxesColumn, from: 'reader' },
  { to: '/l/$library/search-index', label: msg('Search index'), icon: BookA, from: 'reader' },
  { to: '/l/$library/settings', label: msg('Settings of this library'), icon: Settings2, from: 'reader' },
  { to: '/l/$library/trash', label: msg('Trash'), icon: Trash2, from: 'editor' },
] as const

/** Favorites and opened documents that are offered at most. */
const OFFERED = 6

/** Letters of a passage before the first that was found. */
const LEAD_IN = 24

const RISING: readonly Role[] = ['guest', 'reader', 'editor', 'owner']
const placesOf = (role: Role | undefined) =>
  PLACES.filter(({ from }) => RISING.indexOf(role ?? 'guest') >= RISING.indexOf(from))

type PaletteProps = { open: boolean; onOpenChange: (open: boolean) => void; onShortcuts: () => void }

/** The command palette with the pages and actions of the open screen. Mounted while it is open. */
export function Palette({ open: isOpen, onOpenChange, onShortcuts }: PaletteProps) {
  const { user } = useSession()
  const navigate = useNavigate()
  const { library, document } = useParams({ strict: false })
  const { collection } = useSearch({ strict: false })
  const [typed, setTyped] = useState('')
  const words = typed.trim()
  const signingOut = useMutation({
    ...signOut,
    onError: (error) => showToast({ title: describeAuthError(error), failed: true }),
  })
  const { data: libraries = [] } = useQuery(librariesQuery(user.id))
  const { data: collections = [] } = useQuery({ ...collectionsQuery(library ?? ''), enabled: collection !== undefined })
  const { data: openDocument } = useQuery({
    ...documentQuery(library ?? '', document ?? ''),
    enabled: library !== undefined && document !== undefined,
  })
  const { data: opened = [] } = useQuery(recentQuery)
  const { favorites, has: isFavorite } = useFavorites()
  const toggleFavorite = useToggleFavorite()
  const recent = useRecentSearches(user.id, library ?? '')
  const role = libraries.find(({ id }) => id === library)?.role
  const canEdit = role === 'editor' || role === 'owner'
  const openCollection = collections.find(({ id }) => id === collection)
  const { here, found, titles, passages, members } = usePaletteFinds(library, openCollection?.id, words)

  const search = (library: string, q: string, collection?: string) => {
    rememberSearch(user.id, library, q)
    void navigate({ to: '/l/$library/search', params: { library }, search: { q, collection } })
  }
  const documentAction = (library: string) => (document: (typeof titles)[number]) => ({
    id: document.id,
    label: document.title,
    hint: describeKind(document).label,
    icon: describeKind(document).icon,
    run: () => void navigate({ to: '/l/$library/d/$document', params: { library, document: document.id } }),
  })
  const ofDocuments: PaletteGroup[] = library
    ? [
        ...(openCollection
          ? [
              {
                heading: t('In “{collection}”', { collection: openCollection.name }),
                actions: here.map(documentAction(library)),
                isFound: true,
              },
            ]
          : []),
        {
          heading: t('Documents'),
          actions: (found ?? titles).map(documentAction(library)),
          isFound: found !== undefined,
        },
      ]
    : []
  const ofPassages: PaletteGroup[] = library
    ? [
        {
          heading: t('Passages'),
          actions: passages.map((hit) => ({
            id: hit.passage_id,
            label: excerpt(hit.content, hit.highlights, LEAD_IN)
              .map(({ text }) => text)
              .join(''),
            hint: hit.title,
            icon: TextQuote,
            run: () =>
              void navigate({
                to: '/l/$library/d/$document',
                params: { library, document: hit.document_id },
                search: { passage: hit.passage_id, q: words },
              }),
          })),
          isFound: true,
          isLast: true,
        },
      ]
    : []
  const ofPeople: PaletteGroup[] =
    library && words !== ''
      ? [
          {
            heading: t('People'),
            actions: members.map(({ user_id, profile }) => ({
              id: user_id,
              label: profile.display_name,
              hint: t('What this person has added'),
              icon: UserRound,
              run: () => void navigate({ to: '/l/$library', params: { library }, search: { person: user_id } }),
            })),
          },
        ]
      : []
  const starred: Starred | undefined =
    library && openDocument
      ? { library, document: { ...openDocument, mime_type: openDocument.version?.mime_type ?? null } }
      : library && openCollection
        ? { library, collection: openCollection }
        : undefined
  const ofFavorites: PaletteGroup = {
    heading: t('Favorites'),
    actions: [
      ...(starred
        ? [
            {
              id: 'favorite',
              label: isFavorite(starred.document?.id ?? starred.collection?.id ?? '')
                ? t('Remove from favorites')
                : t('Add to favorites'),
              icon: Star,
              run: () => toggleFavorite(starred),
            },
          ]
        : []),
      ...favorites.slice(0, OFFERED).map(({ id, library_id: library, document, collection }) => ({
        id: `favorite ${id}`,
        label: document?.title ?? collection?.name ?? '…',
        icon: Star,
        run: () =>
          void (document
            ? navigate({ to: '/l/$library/d/$document', params: { library, document: document.id } })
            : navigate({ to: '/l/$library', params: { library }, search: { collection: collection?.id } })),
      })),
    ],
  }
  const ofOpened: PaletteGroup = {
    heading: t('Opened last'),
    actions: opened
      .filter(({ document_id }) => document_id !== document)
      .slice(0, OFFERED)
      .map(({ library_id, library_name, document_id, title, kind, mime_type }) => ({
        id: `opened ${document_id}`,
        label: title,
        hint: library_id === library ? describeKind({ kind, mime_type }).label : library_name,
        icon: describeKind({ kind, mime_type }).icon,
        run: () =>
          void navigate({ to: '/l/$library/d/$document', params: { library: library_id, document: document_id } }),
      })),
  }
  const groups: PaletteGroup[] = [
    ...(words === '' ? [ofOpened] : []),
    ofFavorites,
    ...(library && recent.length > 0
      ? [
          {
            heading: t('Recent searches'),
            actions: recent.map((q) => ({ id: `recent ${q}`, label: q, icon: Clock, run: () => search(library, q) })),
          },
        ]
      : []),
    ...(words === '' ? [] : ofDocuments),
    ...ofPassages,
    ...ofPeople,
    {
      heading: t('Libraries'),
      actions: [
        { id: 'home', label: t('My libraries'), icon: Library, run: () => void navigate({ to: '/' }) },
        { id: 'inbox', label: t('Inbox'), icon: Bell, run: () => void navigate({ to: '/inbox', search: {} }) },
        ...libraries.map(({ id, name }) => ({
          id,
          label: name,
          icon: Library,
          run: () => void navigate({ to: '/l/$library', params: { library: id } }),
        })),
      ],
    },
    ...(library
      ? [
          {
            heading: t('This library'),
            actions: [
              ...(canEdit
                ? [
                    {
                      id: 'new-note',
                      label: t('New note, empty or from a template'),
                      icon: NotebookPen,
                      run: () =>
                        void navigate({
                          to: '/l/$library',
                          params: { library },
                          search: collection ? { collection } : {},
                          hash: 'new-note',
                        }),
                    },
                  ]
                : []),
              ...placesOf(role).map(({ to, label, icon }) => ({
                id: to,
                label: t(label),
                icon,
                run: () => void navigate({ to, params: { library } }),
              })),
            ],
          },
        ]
      : []),
    ...(words === '' ? ofDocuments : []),
    {
      heading: t('Settings'),
      actions: [
        { id: 'profile', label: t('Profile'), icon: UserRound, run: () => void navigate({ to: '/settings/profile' }) },
        {
          id: 'security',
          label: t('Security'),
          icon: ShieldCheck,
          run: () => void navigate({ to: '/settings/security' }),
        },
        {
          id: 'appearance',
          label: t('Appearance'),
          icon: Paint,
          run: () => void navigate({ to: '/settings/appearance' }),
        },
        { id: 'light', label: t('Light theme'), icon: Sun, run: () => setAppearance({ theme: 'light' }) },
        { id: 'dark', label: t('Dark theme'), icon: Moon, run: () => setAppearance({ theme: 'dark' }) },
        {
          id: 'comfortable',
          label: t('Comfortable density'),
          icon: Rows2,
          run: () => setAppearance({ density: 'comfortable' }),
        },
        { id: 'compact', label: t('Compact density'), icon: Rows4, run: () => setAppearance({ density: 'compact' }) },
        { id: 'sign-out', label: t('Sign out'), icon: LogOut, run: () => signingOut.mutate('local') },
        { id: 'shortcuts', label: t('Keyboard shortcuts'), icon: Keyboard, run: onShortcuts },
      ],
    },
  ]
  const ofLibrary: PaletteAction[] = library
    ? [
        ...(openCollection
          ? [
              {
                id: 'search-collection',
                label: t('Search “{collection}” for “{words}”', { collection: openCollection.name, words }),
                icon: Folder,
                run: () => search(library, words, openCollection.id),
              },
            ]
          : []),
        {
          id: 'search',
          label: t('Search this library for “{words}”', { words }),
          icon: Search,
          run: () => search(library, words),
        },
      ]
    : []
  const searches: PaletteAction[] = [
    ...ofLibrary,
    {
      id: 'search-everywhere',
      label: t('Search all libraries for “{words}”', { words }),
      icon: LibraryBig,
      run: () => {
        rememberSearch(user.id, EVERYWHERE, words)
        void navigate({ to: '/search', search: { q: words } })
      },
    },
  ]
  return (
    <CommandPalette
      open={isOpen}
      onOpenChange={onOpenChange}
      words={typed}
      onWords={setTyped}
      groups={groups}
      searches={searches}
    />
  )
}
