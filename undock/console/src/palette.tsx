import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Command, defaultFilter } from 'cmdk'
import {
  Archive,
  FileCode,
  KeyRound,
  type LucideIcon,
  MailOpen,
  Plus,
  ScanSearch,
  SquareFunction,
  SunMoon,
  Table2,
  User,
  Workflow,
} from 'lucide-react'
import { type ReactNode, useDeferredValue, useEffect, useRef, useState } from 'react'
import { type Relation, relationsQuery } from './features/catalog.ts'
import { functionsQuery } from './features/functions/functions.ts'
import { SECTIONS } from './features/objects/sections.ts'
import { snippetsQuery } from './features/sql/snippets.ts'
import { bucketsQuery } from './features/storage/storage.ts'
import { userListQuery } from './features/users/queries.ts'
import { setTheme } from './lib/theme.ts'
import { SCREENS } from './screen-list.ts'

type PaletteTarget = {
  readonly to: string
  readonly params?: Readonly<Record<string, string>>
  readonly search?: Readonly<Record<string, string | boolean>>
}
type Entry = PaletteTarget & { readonly name: string; readonly icon: LucideIcon }

/** Screens that are reached from others. */
const PARTS: readonly Entry[] = [
  { name: 'Explain access', icon: ScanSearch, to: '/policies/explain' },
  { name: 'Mail templates', icon: MailOpen, to: '/mail/templates' },
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

/** Letters from which on users are looked for: there may be a million of them. */
const LEAST_LETTERS = 2
const MOST_USERS = 6

/** Finds screens, what the project has, and users by name, and does what needs no screen. */
export function Palette({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const sought = useDeferredValue(text.trim())
  const relations = useQuery(relationsQuery)
  const snippets = useQuery(snippetsQuery)
  const buckets = useQuery(bucketsQuery(undefined))
  const functions = useQuery(functionsQuery)
  const users = useInfiniteQuery({
    ...userListQuery({ search: sought, provider: undefined, state: undefined }),
    enabled: sought.length >= LEAST_LETTERS,
    placeholderData: (before) => before,
  })
  useEffect(() => {
    const element = dialog.current
    if (element && !element.open) element.showModal()
    element?.querySelector('input')?.focus()
  }, [])
  const open = (place: PaletteTarget) => {
    onClose()
    void navigate(place as never)
  }
  const found = sought.length >= LEAST_LETTERS ? (users.data?.pages[0] ?? []).slice(0, MOST_USERS) : []
  return (
    <dialog
      ref={dialog}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose()
      }}
      onKeyDown={() => undefined}
      aria-label="Search"
      className="mt-[12vh] w-[calc(100vw-2rem)] max-w-lg rounded-lg border border-line bg-raised shadow-xl"
    >
      <Command label="Search" filter={rank} className="flex max-h-[60vh] flex-col">
        <Command.Input
          value={text}
          onValueChange={setText}
          placeholder="A screen, table, snippet, bucket, function or user …"
          className="h-11 shrink-0 border-b bg-transparent px-4 outline-none placeholder:text-ink-faint"
        />
        <Command.List className="min-h-0 overflow-auto p-1.5">
          <Command.Empty className="p-4 text-center text-ink-faint">Nothing has that name.</Command.Empty>
          <Group heading="Screens">
            {[...SCREENS, ...PARTS].map(({ name, icon, ...place }) => (
              <Item key={name} value={`screen ${name}`} icon={icon} onSelect={() => open(place)}>
                {name}
              </Item>
            ))}
          </Group>
          <Group heading="Actions">
            {ACTIONS.map(({ name, icon, ...place }) => (
              <Item key={name} value={`action ${name}`} icon={icon} onSelect={() => open(place)}>
                {name}
              </Item>
            ))}
            {THEMES.map((theme) => (
              <Item
                key={theme}
                value={`action Theme: ${theme}`}
                icon={SunMoon}
                onSelect={() => {
                  setTheme(theme)
                  onClose()
                }}
              >
                Theme: {theme}
              </Item>
            ))}
          </Group>
          <Group heading="Tables and views">
            {publicFirst(relations.data ?? []).map(({ schema, name }) => (
              <Item
                key={`${schema}.${name}`}
                value={`table ${schema}.${name}`}
                icon={Table2}
                onSelect={() => open({ to: '/tables/$schema/$name', params: { schema, name } })}
              >
                <span className="text-ink-faint">{schema}.</span>
                <span className="-ml-2">{name}</span>
              </Item>
            ))}
          </Group>
          <Group heading="Snippets">
            {snippets.data?.snippets.map(({ name }) => (
              <Item
                key={name}
                value={`snippet ${name}`}
                icon={FileCode}
                onSelect={() => open({ to: '/sql', search: { snippet: name } })}
              >
                {name}
              </Item>
            ))}
          </Group>
          <Group heading="Buckets">
            {buckets.data?.map(({ id, name }) => (
              <Item
                key={id}
                value={`bucket ${name}`}
                icon={Archive}
                onSelect={() => open({ to: '/storage/$bucket', params: { bucket: id } })}
              >
                {name}
              </Item>
            ))}
          </Group>
          <Group heading="Edge functions">
            {functions.data?.map(({ name }) => (
              <Item
                key={name}
                value={`function ${name}`}
                icon={SquareFunction}
                onSelect={() => open({ to: '/functions/$name', params: { name } })}
              >
                {name}
              </Item>
            ))}
          </Group>
          <Group heading="Users">
            {found.map(({ id, email, phone, name }) => (
              <Item
                key={id}
                value={`user ${id}`}
                // The database has found them, also by a name or a number that is not shown.
                keywords={[text]}
                icon={User}
                onSelect={() => open({ to: '/users/$id', params: { id } })}
              >
                {email ?? phone ?? name ?? id}
                {name && (email ?? phone) ? <span className="truncate text-ink-faint">{name}</span> : null}
              </Item>
            ))}
          </Group>
        </Command.List>
      </Command>
    </dialog>
  )
}

/** The kind before a value keeps values apart, and is not what people look for. */
const rank = (value: string, search: string, keywords?: string[]): number =>
  defaultFilter(value.slice(value.indexOf(' ') + 1), search, keywords)

/** People look for their own tables before those of the services. */
const publicFirst = (relations: readonly Relation[]): readonly Relation[] =>
  relations.toSorted((a, b) => Number(b.schema === 'public') - Number(a.schema === 'public'))

function Group({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-ink-faint [&_[cmdk-group-heading]]:text-xs"
    >
      {children}
    </Command.Group>
  )
}

type ItemProps = {
  value: string
  keywords?: string[]
  icon: LucideIcon
  onSelect: () => void
  children: ReactNode
}

function Item({ value, keywords = [], icon: Icon, onSelect, children }: ItemProps) {
  return (
    <Command.Item
      value={value}
      keywords={keywords}
      onSelect={onSelect}
      className="flex h-8 cursor-pointer items-center gap-2 rounded-md px-2 text-[13px] data-[selected=true]:bg-accent-soft"
    >
      <Icon aria-hidden className="size-4 shrink-0 text-ink-faint" />
      {children}
    </Command.Item>
  )
}
