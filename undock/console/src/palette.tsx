import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { useDeferredValue, useEffect, useRef, useState } from 'react'
import { relationsQuery } from './features/catalog.ts'
import { functionsQuery } from './features/functions/functions.ts'
import { snippetsQuery } from './features/sql/snippets.ts'
import { bucketsQuery } from './features/storage/storage.ts'
import { userListQuery } from './features/users/queries.ts'
import { screenActions } from './lib/browser.ts'
import { setTheme } from './lib/theme.ts'
import { type PaletteItem, paletteGroups, rank } from './palette-groups.ts'

/** The minimum number of letters to search users, because there may be a million. */
const MIN_LETTERS = 2
const MAX_USERS = 6

/** Finds screens, objects and users by name, and runs actions. */
export function Palette({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const groups = usePaletteGroups(text)
  useEffect(() => {
    const element = dialog.current
    if (element && !element.open) element.showModal()
    element?.querySelector('input')?.focus()
  }, [])
  const choose = ({ does }: PaletteItem) => {
    onClose()
    if ('theme' in does) setTheme(does.theme)
    else if ('press' in does) does.press()
    else void navigate(does as never)
  }
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
          placeholder="An action of this screen, or a screen, table, user …"
          className="h-11 shrink-0 border-b bg-transparent px-4 outline-none placeholder:text-ink-faint"
        />
        <Command.List className="min-h-0 overflow-auto p-1.5">
          <Command.Empty className="p-4 text-center text-ink-faint">Nothing has that name.</Command.Empty>
          {groups.map(({ heading, items }) => (
            <Command.Group
              key={heading}
              heading={heading}
              className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-ink-faint [&_[cmdk-group-heading]]:text-xs"
            >
              {items.map((item) => (
                <Item key={item.value} item={item} onSelect={() => choose(item)} />
              ))}
            </Command.Group>
          ))}
        </Command.List>
      </Command>
    </dialog>
  )
}

function usePaletteGroups(text: string) {
  // Read before the palette covers them.
  const [actions] = useState(screenActions)
  const sought = useDeferredValue(text.trim())
  const isLong = sought.length >= MIN_LETTERS
  const relations = useQuery(relationsQuery)
  const snippets = useQuery(snippetsQuery)
  const buckets = useQuery(bucketsQuery(undefined))
  const functions = useQuery(functionsQuery)
  const users = useInfiniteQuery({
    ...userListQuery({ search: sought, provider: undefined, state: undefined }),
    enabled: isLong,
    placeholderData: (before) => before,
  })
  return paletteGroups(
    {
      actions,
      relations: relations.data,
      snippets: snippets.data?.snippets,
      buckets: buckets.data,
      functions: functions.data,
      users: isLong ? (users.data?.pages[0] ?? []).slice(0, MAX_USERS) : [],
    },
    text,
  )
}

function Item({ item, onSelect }: { item: PaletteItem; onSelect: () => void }) {
  const { value, keywords = [], icon: Icon, schema, name, detail } = item
  return (
    <Command.Item
      value={value}
      keywords={keywords}
      onSelect={onSelect}
      className="flex h-8 cursor-pointer items-center gap-2 rounded-md px-2 text-[13px] data-[selected=true]:bg-accent-soft"
    >
      <Icon aria-hidden className="size-4 shrink-0 text-ink-faint" />
      {schema === undefined ? (
        name
      ) : (
        <>
          <span className="text-ink-faint">{schema}.</span>
          <span className="-ml-2">{name}</span>
        </>
      )}
      {detail ? <span className="truncate text-ink-faint">{detail}</span> : null}
    </Command.Item>
  )
}
