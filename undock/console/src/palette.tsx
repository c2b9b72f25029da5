import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { Table2 } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { type Relation, relationsQuery } from './features/catalog.ts'
import { SCREENS } from './screen-list.ts'

/** Finds screens and tables by name. */
export function Palette({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const navigate = useNavigate()
  const relations = useQuery(relationsQuery)
  useEffect(() => {
    const element = dialog.current
    if (element && !element.open) element.showModal()
    element?.querySelector('input')?.focus()
  }, [])
  const open = (to: string, params: Record<string, string> = {}) => {
    onClose()
    void navigate({ to, params } as never)
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
      <Command label="Search" className="flex max-h-[60vh] flex-col">
        <Command.Input
          placeholder="A screen, a table, a view …"
          className="h-11 shrink-0 border-b bg-transparent px-4 outline-none placeholder:text-ink-faint"
        />
        <Command.List className="min-h-0 overflow-auto p-1.5">
          <Command.Empty className="p-4 text-center text-ink-faint">Nothing has that name.</Command.Empty>
          <Command.Group heading="Screens" className={GROUP}>
            {SCREENS.map(({ to, name, icon: Icon }) => (
              <Item key={to} value={name} onSelect={() => open(to)}>
                <Icon aria-hidden className="size-4 text-ink-faint" />
                {name}
              </Item>
            ))}
          </Command.Group>
          <Command.Group heading="Tables and views" className={GROUP}>
            {publicFirst(relations.data ?? []).map(({ schema, name }) => (
              <Item
                key={`${schema}.${name}`}
                value={`${schema}.${name}`}
                onSelect={() => open('/tables/$schema/$name', { schema, name })}
              >
                <Table2 aria-hidden className="size-4 text-ink-faint" />
                <span className="text-ink-faint">{schema}.</span>
                <span className="-ml-2">{name}</span>
              </Item>
            ))}
          </Command.Group>
        </Command.List>
      </Command>
    </dialog>
  )
}

/** People look for their own tables before those of the services. */
const publicFirst = (relations: readonly Relation[]): readonly Relation[] =>
  relations.toSorted((a, b) => Number(b.schema === 'public') - Number(a.schema === 'public'))

const GROUP =
  '[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-ink-faint [&_[cmdk-group-heading]]:text-xs'

function Item({ value, onSelect, children }: { value: string; onSelect: () => void; children: ReactNode }) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex h-8 cursor-pointer items-center gap-2 rounded-md px-2 text-[13px] data-[selected=true]:bg-accent-soft"
    >
      {children}
    </Command.Item>
  )
}
