import { defaultFilter } from 'cmdk'
import {
  Archive,
  FileCode,
  Gauge,
  KeyRound,
  type LucideIcon,
  MailOpen,
  MousePointerClick,
  Plus,
  ScanSearch,
  ScrollText,
  SquareFunction,
  SunMoon,
  Table2,
  User,
  Workflow,
} from 'lucide-react'
import type { Relation } from './features/catalog.ts'
import { SECTIONS } from './features/objects/sections.ts'
import type { ListedUser } from './features/users/queries.ts'
import type { ScreenAction } from './lib/browser.ts'
import type { Theme } from './lib/theme.ts'
import { SCREENS } from './screen-list.ts'

type PaletteTarget = {
  readonly to: string
  readonly params?: Readonly<Record<string, string>>
  readonly search?: Readonly<Record<string, string | boolean>>
}

/** @property value Unique: the kind, a space, and the searched text. @property keywords More texts to search. @property detail Shown after
 *  the name. @property schema Shown before it. @property does A path, a theme or an action. */
export type PaletteItem = {
  readonly value: string
  readonly keywords?: string[]
  readonly icon: LucideIcon
  readonly name: string
  readonly schema?: string
  readonly detail?: string | null
  readonly does: PaletteTarget | { readonly theme: Theme } | Pick<ScreenAction, 'press'>
}

export type PaletteGroup = { readonly heading: string; readonly items: readonly PaletteItem[] }

/** The screen's actions and the project's objects; undefined while loading. */
type Found = {
  readonly actions: readonly ScreenAction[]
  readonly relations: readonly Relation[] | undefined
  readonly snippets: readonly { readonly name: string }[] | undefined
  readonly buckets: readonly { readonly id: string; readonly name: string }[] | undefined
  readonly functions: readonly { readonly name: string }[] | undefined
  readonly users: readonly ListedUser[]
}

type Entry = PaletteTarget & { readonly name: string; readonly icon: LucideIcon }

/** Screens reached from others. */
const PARTS: readonly Entry[] = [
  { name: 'Explain access', icon: ScanSearch, to: '/policies/explain' },
  { name: 'Email templates', icon: MailOpen, to: '/mail/templates' },
  ...['sessions', 'statements', 'tables', 'indexes'].map(
    (part): Entry => ({ name: `Database: ${part}`, icon: Gauge, to: '/database', search: { part } }),
  ),
  { name: 'Logs in SQL', icon: ScrollText, to: '/logs/sql' },
  { name: 'Decode a token', icon: KeyRound, to: '/users/token' },
  ...SECTIONS.map(
    ({ id, name }): Entry => ({
      name: `Schema: ${name}`,
      icon: Workflow,
      to: '/schema/$section',
      params: { section: id },
    }),
  ),
]

const ACTIONS: readonly Entry[] = [
  { name: 'Add a user', icon: Plus, to: '/users', search: { add: true } },
  { name: 'Create a bucket', icon: Plus, to: '/storage', search: { new: true } },
  { name: 'Create a branch', icon: Plus, to: '/branches', search: { add: 'branch' } },
  { name: 'Take a snapshot', icon: Plus, to: '/branches', search: { add: 'snapshot' } },
]

const THEMES = ['light', 'dark', 'system'] as const

/** Screens, actions and the project's objects, in the order of the palette.
 *  @param text The typed text. */
export const paletteGroups = (found: Found, text: string): readonly PaletteGroup[] => [
  {
    heading: 'On this screen',
    items: found.actions.map(({ name, press }) => ({
      value: `press ${name}`,
      icon: MousePointerClick,
      name,
      does: { press },
    })),
  },
  { heading: 'Screens', items: [...SCREENS, ...PARTS].map((entry) => toItem('screen', entry)) },
  {
    heading: 'Actions',
    items: [
      ...ACTIONS.map((entry) => toItem('action', entry)),
      ...THEMES.map((theme) => ({
        value: `action Theme: ${theme}`,
        icon: SunMoon,
        name: `Theme: ${theme}`,
        does: { theme },
      })),
    ],
  },
  {
    heading: 'Tables and views',
    items: publicFirst(found.relations ?? []).map(({ schema, name }) => ({
      value: `table ${schema}.${name}`,
      icon: Table2,
      schema,
      name,
      does: { to: '/tables/$schema/$name', params: { schema, name } },
    })),
  },
  {
    heading: 'Snippets',
    items: (found.snippets ?? []).map(({ name }) =>
      toItem('snippet', { name, icon: FileCode, to: '/sql', search: { snippet: name } }),
    ),
  },
  {
    heading: 'Buckets',
    items: (found.buckets ?? []).map(({ id, name }) =>
      toItem('bucket', { name, icon: Archive, to: '/storage/$bucket', params: { bucket: id } }),
    ),
  },
  {
    heading: 'Edge functions',
    items: (found.functions ?? []).map(({ name }) =>
      toItem('function', { name, icon: SquareFunction, to: '/functions/$name', params: { name } }),
    ),
  },
  {
    heading: 'Users',
    items: found.users.map(({ id, email, phone, name }) => ({
      value: `user ${id}`,
      // Found by the database, possibly by a name or number that isn't shown.
      keywords: [text],
      icon: User,
      name: email ?? phone ?? name ?? id,
      detail: (email ?? phone) ? name : null,
      does: { to: '/users/$id', params: { id } },
    })),
  },
]

const toItem = (kind: string, { name, icon, ...does }: Entry): PaletteItem => ({
  value: `${kind} ${name}`,
  icon,
  name,
  does,
})

/** Returns how well an item matches a search. The kind before its value only makes values unique, so it isn't searched. */
export const rank = (value: string, search: string, keywords?: string[]): number =>
  defaultFilter(value.slice(value.indexOf(' ') + 1), search, keywords)

/** The project's tables come before the services'. */
const publicFirst = (relations: readonly Relation[]): readonly Relation[] =>
  relations.toSorted((a, b) => Number(b.schema === 'public') - Number(a.schema === 'public'))
