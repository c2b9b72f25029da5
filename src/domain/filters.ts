import {
  BadgeCheck,
  Calendar,
  CalendarDays,
  Folder,
  Hash,
  type LucideIcon,
  PenLine,
  Shapes,
  TriangleAlert,
  Type,
  UserRound,
} from 'lucide-react'
import { Constants } from '../../supabase/functions/_shared/database.ts'
import type { FileType } from '../../supabase/functions/_shared/file-kinds.ts'
import { msg, t } from '../lib/i18n/i18n.ts'
import { type DocumentFilter, FILE_TYPES, PERIODS, type STATES } from './document-filter.ts'

type Named = { id: string; name: string }
/** What a library's filters can refer to. */
export type FilterVocabulary = {
  collections: readonly Named[]
  tags: readonly Named[]
  people: readonly Named[]
  authors: readonly string[]
  years: readonly number[]
  /** File types to choose from, besides kinds of documents. */
  types: readonly FileType[]
  hasVerified: boolean
  states: readonly (typeof STATES)[number][]
  /** The current person's id, for `from:me`. */
  me: string
}

type Change = Partial<DocumentFilter>
export type Option = { label: string; names: readonly string[]; filter: Change }

type FilterKind = {
  /** Its name in searches, as in `tag:sea`. English names work in every language. */
  typed?: string
  /** `all` is the choice that removes it. Hidden if there are fewer than `least` options. */
  menu?: { label: string; all: string; least?: number }
  icon: LucideIcon
  keys: readonly Exclude<keyof DocumentFilter, 'fields'>[]
  options?: (vocabulary: FilterVocabulary) => Option[]
  /** Whether values can be texts or dates: besides the options, or only, with options as examples. */
  free?: 'also' | 'only'
}

export const PERIOD_LABELS = { week: msg('The last week'), month: msg('The last month'), year: msg('The last year') }
export const KIND_LABELS = { file: msg('File'), note: msg('Note'), link: msg('Link') } as const
const VERIFIED = { due: msg('Needs verifying again'), valid: msg('Verified') } as const
const STATE_LABELS = { failed: msg('Could not be read'), proposed: msg('Waiting to be approved') } as const

const labelled = <Value extends string>(
  values: readonly Value[],
  labels: Record<Value, string>,
  filter: (value: Value) => Change,
): Option[] =>
  values.map((value) => {
    const label = t(labels[value])
    return { label, names: [value, label], filter: filter(value) }
  })
const named = (things: readonly Named[], filter: (id: string) => Change): Option[] =>
  things.map(({ id, name }) => ({ label: name, names: [name], filter: filter(id) }))
const listed = (values: readonly string[], filter: (value: string) => Change): Option[] =>
  values.map((value) => ({ label: value, names: [value], filter: filter(value) }))

/** Each filter of shelves and searches, in the order of menus and typed searches. */
export const FILTERS = {
  kind: {
    typed: msg('kind'),
    menu: { label: msg('Kind'), all: msg('Every kind') },
    icon: Shapes,
    keys: ['kind', 'type'],
    options: ({ types }) => [
      ...labelled(Constants.public.Enums.document_kind, KIND_LABELS, (kind) => ({ kind, type: undefined })),
      ...labelled(types, FILE_TYPES, (type) => ({ kind: undefined, type })),
    ],
  },
  from: {
    typed: msg('from'),
    menu: { label: msg('Added by'), all: msg('Anyone'), least: 2 },
    icon: UserRound,
    keys: ['person'],
    options: ({ people, me }) =>
      named(people, (person) => ({ person })).map((option) =>
        option.filter.person === me ? { ...option, names: [...option.names, 'me', t('me')] } : option,
      ),
  },
  since: {
    typed: msg('since'),
    menu: { label: msg('Added'), all: msg('Added any time') },
    icon: CalendarDays,
    keys: ['since'],
    options: () => labelled(PERIODS, PERIOD_LABELS, (since) => ({ since })),
    free: 'also',
  },
  until: { typed: msg('until'), icon: CalendarDays, keys: ['until'], free: 'only' },
  tag: {
    typed: msg('tag'),
    menu: { label: msg('Tag'), all: msg('Every tag') },
    icon: Hash,
    keys: ['tag'],
    options: ({ tags }) => named(tags, (tag) => ({ tag })),
  },
  in: {
    typed: msg('in'),
    menu: { label: msg('Collection'), all: msg('Every collection') },
    icon: Folder,
    keys: ['collection'],
    options: ({ collections }) => named(collections, (collection) => ({ collection })),
  },
  title: { typed: msg('title'), icon: Type, keys: ['title'], free: 'only' },
  author: {
    typed: msg('author'),
    menu: { label: msg('Author'), all: msg('Every author') },
    icon: PenLine,
    keys: ['author'],
    options: ({ authors }) => listed(authors, (author) => ({ author })),
    free: 'only',
  },
  dated: {
    typed: msg('dated'),
    menu: { label: msg('Dated'), all: msg('Any year') },
    icon: Calendar,
    keys: ['dated'],
    options: ({ years }) =>
      listed(
        years.map((year) => String(year).padStart(4, '0')),
        (dated) => ({ dated }),
      ),
    free: 'only',
  },
  verified: {
    menu: { label: msg('Verification'), all: msg('Verified or not') },
    icon: BadgeCheck,
    keys: ['verified'],
    options: ({ hasVerified }) =>
      labelled(hasVerified ? (['due', 'valid'] as const) : [], VERIFIED, (verified) => ({ verified })),
  },
  state: {
    menu: { label: msg('Status'), all: msg('Any status') },
    icon: TriangleAlert,
    keys: ['state'],
    options: ({ states }) => labelled(states, STATE_LABELS, (state) => ({ state })),
  },
} as const satisfies Record<string, FilterKind>
export type FilterName = keyof typeof FILTERS

/** Those that can be typed. */
export type TypedName = {
  [Name in FilterName]: (typeof FILTERS)[Name] extends { typed: string } ? Name : never
}[FilterName]

export const kindOf = (name: FilterName): FilterKind => FILTERS[name]

export const optionsOf = (name: FilterName, vocabulary: FilterVocabulary): Option[] =>
  kindOf(name).options?.(vocabulary) ?? []

/** Formats a filter's value; undefined if it isn't set. */
export function filterValue(name: FilterName, filter: Change, vocabulary: FilterVocabulary): string | undefined {
  const { keys, free } = kindOf(name)
  const set = keys.map((key) => filter[key]).find((value) => value !== undefined)
  if (set === undefined) return undefined
  const option = optionsOf(name, vocabulary).find((one) => keys.every((key) => one.filter[key] === filter[key]))
  // Guests see no names of hidden objects.
  return option?.label ?? (free ? set : '…')
}

export const without = (name: FilterName): Change =>
  Object.fromEntries(kindOf(name).keys.map((key) => [key, undefined]))

/** Options of a menu; others can be typed, or found by searching. */
const MAX_OPTIONS = 100

/** Returns the menus of these filters. Values are positions, because names may repeat. */
export function filterMenus(
  names: readonly FilterName[],
  filter: Change,
  vocabulary: FilterVocabulary,
  onFilter: (change: Change) => void,
) {
  return names.flatMap((name) => {
    const { menu, icon, keys } = kindOf(name)
    if (!menu) return []
    const { label, all, least = 1 } = menu
    const options = optionsOf(name, vocabulary).slice(0, MAX_OPTIONS)
    const value = filterValue(name, filter, vocabulary)
    if (options.length < least && value === undefined) return []
    const chosen = options.findIndex((option) => keys.every((key) => option.filter[key] === filter[key]))
    return {
      label: t(label),
      icon,
      value: value === undefined ? '' : String(chosen),
      options: [
        { value: '', label: t(all) },
        ...(value !== undefined && chosen === -1 ? [{ value: '-1', label: value }] : []),
        ...options.map((option, index) => ({ value: String(index), label: option.label })),
      ],
      onChange: (position: string) =>
        onFilter(position === '' ? without(name) : (options[Number(position)]?.filter ?? {})),
    }
  })
}
