import type { UseNavigateResult } from '@tanstack/react-router'
import {
  Bell,
  ChartNoAxesColumn,
  Clock,
  Folder,
  Highlighter,
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
import { isAtLeast, type Role } from '../../domain/roles.ts'
import { describeKind } from '../../features/documents/kinds.ts'
import type { Favorite } from '../../features/favorites/queries.ts'
import type { Starred } from '../../features/favorites/use-favorites.ts'
import type { PaletteAction, PaletteGroup } from '../../features/palette/command-palette.tsx'
import { excerpt } from '../../features/search/hits.ts'
import { msg, t } from '../../lib/i18n/i18n.ts'
import { setAppearance } from '../../lib/ui/appearance.ts'

type Titled = { id: string; title: string; kind: string; mime_type: string | null }
type Collection = { id: string; name: string }

type Place = {
  words: string
  library?: string | undefined
  role?: Role | undefined
  document?: string | undefined
  collection?: Collection | undefined
  /** What is open and can be a favorite. */
  starred?: Starred | undefined
}

/** Possible targets. @property found Undefined while only cached titles are known. */
type Facts = {
  libraries: readonly Collection[]
  opened: readonly (Omit<Titled, 'id'> & { library_id: string; library_name: string; document_id: string })[]
  favorites: readonly Favorite[]
  isFavorite: (id: string) => boolean
  recent: readonly string[]
  here: readonly Titled[]
  found: readonly Titled[] | undefined
  titles: readonly Titled[]
  passages: readonly { passage_id: string; document_id: string; title: string; content: string; highlights: unknown }[]
  members: readonly { user_id: string; profile: { display_name: string } }[]
}

type Acts = {
  go: UseNavigateResult<string>
  search: (library: string, words: string, collection?: string) => void
  searchEverywhere: (words: string) => void
  star: (starred: Starred) => void
  signOut: () => void
  showShortcuts: () => void
}

const OFFERED = 6

const LEAD_IN = 24

const PLACES = [
  { to: '/l/$library', label: msg('All documents'), icon: LayoutGrid, from: 'guest' },
  { to: '/l/$library/search', label: msg('Search'), icon: Search, from: 'guest' },
  { to: '/l/$library/ask', label: msg('Ask'), icon: MessageCircleQuestion, from: 'reader' },
  { to: '/l/$library/highlights', label: msg('Highlights'), icon: Highlighter, from: 'guest' },
  { to: '/l/$library/activity', label: msg('Activity'), icon: History, from: 'reader' },
  { to: '/l/$library/members', label: msg('Members'), icon: Users, from: 'reader' },
  { to: '/l/$library/insights', label: msg('Insights'), icon: ChartNoAxesColumn, from: 'reader' },
  { to: '/l/$library/settings', label: msg('Settings of this library'), icon: Settings2, from: 'reader' },
  { to: '/l/$library/trash', label: msg('Trash'), icon: Trash2, from: 'editor' },
] as const

/** Returns the current screen's pages and actions. Search results come before commands, other items after. */
export function paletteGroups(place: Place, facts: Facts, acts: Acts): PaletteGroup[] {
  const { library, words } = place
  const isTyped = words !== ''
  const documents = library ? documentGroups(library, place, facts, acts) : []
  return [
    ...(isTyped ? [] : [openedGroup(place, facts, acts)]),
    favoriteGroup(place, facts, acts),
    ...(library && facts.recent.length > 0 ? [recentGroup(library, facts, acts)] : []),
    ...(isTyped ? documents : []),
    ...(library ? [passageGroup(library, words, facts, acts)] : []),
    ...(library && isTyped ? [peopleGroup(library, facts, acts)] : []),
    librariesGroup(facts, acts),
    ...(library ? [libraryGroup(library, place, acts)] : []),
    ...(isTyped ? [] : documents),
    settingsGroup(acts),
  ]
}

/** Returns searches for the typed words, nearest scope first. */
export function paletteSearches({ library, collection, words }: Place, acts: Acts): PaletteAction[] {
  const inCollection = library &&
    collection && {
      id: 'search-collection',
      label: t('Search “{collection}” for “{words}”', { collection: collection.name, words }),
      icon: Folder,
      run: () => acts.search(library, words, collection.id),
    }
  const inLibrary = library && {
    id: 'search',
    label: t('Search this library for “{words}”', { words }),
    icon: Search,
    run: () => acts.search(library, words),
  }
  const everywhere = {
    id: 'search-everywhere',
    label: t('Search all libraries for “{words}”', { words }),
    icon: LibraryBig,
    run: () => acts.searchEverywhere(words),
  }
  return [...(inCollection ? [inCollection] : []), ...(inLibrary ? [inLibrary] : []), everywhere]
}

function documentGroups(library: string, { collection }: Place, { here, found, titles }: Facts, { go }: Acts) {
  const actionOf = (document: Titled): PaletteAction => ({
    id: document.id,
    label: document.title,
    hint: describeKind(document).label,
    icon: describeKind(document).icon,
    run: () => void go({ to: '/l/$library/d/$document', params: { library, document: document.id } }),
  })
  const all: PaletteGroup = {
    heading: t('Documents'),
    actions: (found ?? titles).map(actionOf),
    isFound: found !== undefined,
  }
  if (!collection) return [all]
  const heading = t('In “{collection}”', { collection: collection.name })
  return [{ heading, actions: here.map(actionOf), isFound: true }, all]
}

const passageGroup = (library: string, words: string, { passages }: Facts, { go }: Acts): PaletteGroup => ({
  heading: t('Passages'),
  actions: passages.map(({ passage_id: passage, document_id: document, title, content, highlights }) => ({
    id: passage,
    label: excerpt(content, highlights, LEAD_IN)
      .map(({ text }) => text)
      .join(''),
    hint: title,
    icon: TextQuote,
    run: () => void go({ to: '/l/$library/d/$document', params: { library, document }, search: { passage, q: words } }),
  })),
  isFound: true,
  isLast: true,
})

const peopleGroup = (library: string, { members }: Facts, { go }: Acts): PaletteGroup => ({
  heading: t('People and permissions'),
  actions: members.map(({ user_id: person, profile }) => ({
    id: person,
    label: profile.display_name,
    hint: t('Documents this person added'),
    icon: UserRound,
    run: () => void go({ to: '/l/$library', params: { library }, search: { person } }),
  })),
})

function favoriteGroup({ starred }: Place, { favorites, isFavorite }: Facts, { go, star }: Acts): PaletteGroup {
  const isStarred = starred && isFavorite(starred.document?.id ?? starred.collection?.id ?? '')
  const toggle = starred && {
    id: 'favorite',
    label: isStarred ? t('Remove from favorites') : t('Add to favorites'),
    icon: Star,
    run: () => star(starred),
  }
  const actions = favorites.slice(0, OFFERED).map(({ id, library_id: library, document, collection }) => ({
    id: `favorite ${id}`,
    label: document?.title ?? collection?.name ?? '…',
    icon: Star,
    run: () =>
      void (document
        ? go({ to: '/l/$library/d/$document', params: { library, document: document.id } })
        : go({ to: '/l/$library', params: { library }, search: { collection: collection?.id } })),
  }))
  return { heading: t('Favorites'), actions: toggle ? [toggle, ...actions] : actions }
}

const openedGroup = ({ library: here, document }: Place, { opened }: Facts, { go }: Acts): PaletteGroup => ({
  heading: t('Opened last'),
  actions: opened
    .filter(({ document_id }) => document_id !== document)
    .slice(0, OFFERED)
    .map(({ library_id: library, library_name, document_id, title, kind, mime_type }) => ({
      id: `opened ${document_id}`,
      label: title,
      hint: library === here ? describeKind({ kind, mime_type }).label : library_name,
      icon: describeKind({ kind, mime_type }).icon,
      run: () => void go({ to: '/l/$library/d/$document', params: { library, document: document_id } }),
    })),
})

const recentGroup = (library: string, { recent }: Facts, { search }: Acts): PaletteGroup => ({
  heading: t('Recent searches'),
  actions: recent.map((q) => ({ id: `recent ${q}`, label: q, icon: Clock, run: () => search(library, q) })),
})

const librariesGroup = ({ libraries }: Facts, { go }: Acts): PaletteGroup => ({
  heading: t('Libraries'),
  actions: [
    { id: 'home', label: t('My libraries'), icon: Library, run: () => void go({ to: '/' }) },
    { id: 'inbox', label: t('Inbox'), icon: Bell, run: () => void go({ to: '/inbox', search: {} }) },
    ...libraries.map(({ id, name }) => ({
      id,
      label: name,
      icon: Library,
      run: () => void go({ to: '/l/$library', params: { library: id } }),
    })),
  ],
})

function libraryGroup(library: string, { role, collection }: Place, { go }: Acts): PaletteGroup {
  const newNote: PaletteAction = {
    id: 'new-note',
    label: t('New note'),
    icon: NotebookPen,
    run: () =>
      void go({
        to: '/l/$library',
        params: { library },
        search: collection ? { collection: collection.id } : {},
        hash: 'new-note',
      }),
  }
  const places = PLACES.filter(({ from }) => isAtLeast(role ?? 'guest', from)).map(({ to, label, icon }) => ({
    id: to,
    label: t(label),
    icon,
    run: () => void go({ to, params: { library } }),
  }))
  return { heading: t('This library'), actions: isAtLeast(role, 'editor') ? [newNote, ...places] : places }
}

const settingsGroup = ({ go, signOut, showShortcuts }: Acts): PaletteGroup => ({
  heading: t('Settings'),
  actions: [
    { id: 'profile', label: t('Profile'), icon: UserRound, run: () => void go({ to: '/settings/profile' }) },
    { id: 'security', label: t('Security'), icon: ShieldCheck, run: () => void go({ to: '/settings/security' }) },
    { id: 'appearance', label: t('Appearance'), icon: Paint, run: () => void go({ to: '/settings/appearance' }) },
    { id: 'light', label: t('Light theme'), icon: Sun, run: () => setAppearance({ theme: 'light' }) },
    { id: 'dark', label: t('Dark theme'), icon: Moon, run: () => setAppearance({ theme: 'dark' }) },
    {
      id: 'comfortable',
      label: t('Comfortable density'),
      icon: Rows2,
      run: () => setAppearance({ density: 'comfortable' }),
    },
    { id: 'compact', label: t('Compact density'), icon: Rows4, run: () => setAppearance({ density: 'compact' }) },
    { id: 'sign-out', label: t('Sign out'), icon: LogOut, run: signOut },
    { id: 'shortcuts', label: t('Keyboard shortcuts'), icon: Keyboard, run: showShortcuts },
  ],
})
