import { createLink, useLocation } from '@tanstack/react-router'
import clsx from 'clsx'
import { PanelLeft } from 'lucide-react'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { useTextFilter } from '../lib/state.ts'
import { Button } from './button.tsx'
import { SearchInput } from './field.tsx'

/** Classes of a link or button in the side list. */
export const SIDE_ENTRY =
  'block w-full truncate rounded-md px-2 py-1 text-left text-[13px] text-ink-soft hover:bg-panel hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-ink'

/** The side menu of a screen's parts. */
export const SideMenu = ({ label, children }: { label: string; children: ReactNode }) => (
  <nav aria-label={label} className="p-2">
    <ul className="grid gap-0.5">{children}</ul>
  </nav>
)

/** An entry of the side menu. */
export const MenuLink = createLink((props: Omit<ComponentProps<'a'>, 'className'>) => (
  <li>
    <a {...props} className={SIDE_ENTRY} />
  </li>
))

type SideListProps<Item> = {
  /** What is in the list, such as "bucket". */
  noun: string
  items: readonly Item[]
  /** Shown next to the name filter. */
  action?: ReactNode
  children: (item: Item) => ReactNode
}

/** A side list of things, filtered by name. */
export function SideList<Item extends { readonly name: string }>(props: SideListProps<Item>) {
  const { noun, items, action, children } = props
  const [text, setText] = useState('')
  const isFound = useTextFilter(text)
  const matches = items.filter(({ name }) => isFound(name))
  return (
    <>
      <div className="flex gap-1 border-b p-2">
        <SearchInput label={`Filter ${noun}s`} value={text} onValue={setText} />
        {action}
      </div>
      <ul className="min-h-0 flex-1 overflow-auto p-1">
        {matches.map((item) => (
          <li key={item.name}>{children(item)}</li>
        ))}
        {matches.length === 0 ? (
          <li className="p-3 text-ink-faint text-xs">
            {text ? `No ${noun} has that name.` : `There are no ${noun}s.`}
          </li>
        ) : null}
      </ul>
    </>
  )
}

type SplitPaneProps = {
  /** The name of the list, such as "Tables". */
  label: string
  side: ReactNode
  /** Classes of the side, such as its width. */
  className?: string
  /** Whether something in the list is chosen. If not, a narrow screen shows only the list. */
  isChosen?: boolean
  children: ReactNode
}

/** Content with a list to its left. On a narrow screen, the list is behind a button and covers the content until
 *  something is chosen. */
export function SplitPane({ label, side, className, isChosen = true, children }: SplitPaneProps) {
  const { href } = useLocation()
  const [openAt, setOpenAt] = useState<string>()
  const isOpen = openAt === href
  return (
    <div className="relative flex h-full max-md:flex-col">
      {isChosen ? (
        <div className="shrink-0 border-b px-2 py-1 md:hidden">
          <Button
            icon={PanelLeft}
            look="quiet"
            aria-expanded={isOpen}
            onClick={() => setOpenAt(isOpen ? undefined : href)}
          >
            {label}
          </Button>
        </div>
      ) : null}
      <div
        className={clsx(
          'flex shrink-0 flex-col overflow-auto border-r md:relative',
          isChosen
            ? 'max-md:absolute max-md:top-10 max-md:bottom-0 max-md:z-5 max-md:w-64! max-md:bg-page max-md:shadow-xl'
            : 'max-md:w-full! max-md:flex-1',
          isChosen && !isOpen && 'max-md:hidden',
          className,
        )}
      >
        {side}
      </div>
      <div className={clsx('min-h-0 min-w-0 flex-1', !isChosen && 'max-md:hidden')}>{children}</div>
    </div>
  )
}
