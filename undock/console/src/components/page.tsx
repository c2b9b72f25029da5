import clsx from 'clsx'
import { Eye, Lock, LockOpen, type LucideIcon } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { usePageTitle } from '../lib/state.ts'

type PageProps = { title: string; subtitle?: ReactNode; actions?: ReactNode; children: ReactNode }

/** The frame of a screen: a heading with its actions, and content that scrolls. */
export function Page({ title, subtitle, actions, children }: PageProps) {
  usePageTitle(title)
  return (
    <div className="flex h-full min-w-0 flex-col">
      <header className="flex min-h-13 flex-wrap items-center justify-between gap-2 border-b px-4 py-2">
        <div className="flex min-w-0 items-baseline gap-3">
          <h1 className="truncate font-semibold text-[15px]">{title}</h1>
          {subtitle ? <div className="truncate text-ink-faint text-xs">{subtitle}</div> : null}
        </div>
        {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
      </header>
      <div className="relative min-h-0 flex-1 overflow-auto">{children}</div>
    </div>
  )
}

/** A small icon whose meaning is announced to screen readers and shown on hover. */
export const Mark = ({ icon: Icon, title, tone }: { icon: LucideIcon; title: string; tone: string }) => (
  <span title={title} className={clsx('shrink-0', tone)}>
    <Icon aria-hidden className="size-3.5" />
    <span className="sr-only">{title}</span>
  </span>
)

/** Shows whether a table's row security is on. */
export function SecurityMark({ isView, isOn }: { isView: boolean; isOn: boolean }) {
  if (isView) return <Mark icon={Eye} title="A view" tone="text-ink-faint" />
  return isOn ? (
    <Mark icon={Lock} title="Row security is on" tone="text-ink-faint" />
  ) : (
    <Mark icon={LockOpen} title="Row security is off" tone="text-warn" />
  )
}

type PanelProps = { title: string; actions?: ReactNode; children: ReactNode; className?: string }

/** A framed section with a heading. */
export function Panel({ title, actions, children, className }: PanelProps) {
  const heading = useId()
  return (
    <section aria-labelledby={heading} className={clsx('min-w-0', className)}>
      <header className="mb-2 flex min-h-8 items-center justify-between gap-2">
        <h2 id={heading} className="font-semibold">
          {title}
        </h2>
        {actions}
      </header>
      <div className="rounded-lg border bg-raised">{children}</div>
    </section>
  )
}

type FactsProps = { facts: readonly (readonly [name: string, value: ReactNode])[]; className?: string }

/** Names and values in two columns. */
export const Facts = ({ facts, className }: FactsProps) => (
  <dl className={clsx('grid grid-cols-[max-content_1fr] gap-x-4 gap-y-0.5 text-xs', className)}>
    {facts.map(([name, value], index) => (
      <div key={`${name} ${index}`} className="col-span-2 grid grid-cols-subgrid">
        <dt className="text-ink-faint">{name}</dt>
        <dd className="min-w-0 break-words">{value}</dd>
      </div>
    ))}
  </dl>
)

type TableHeadProps = {
  /** The columns' names, with a class if needed. */
  columns: readonly (string | readonly [name: string, className: string])[]
  /** The classes of each cell. */
  cell?: string
  /** Whether to add a last column for buttons. */
  hasActions?: boolean
  className?: string
}

/** The head of a table. */
export function TableHead({ columns, cell = 'px-3 py-1.5', hasActions = false, className }: TableHeadProps) {
  return (
    <thead className={className}>
      <tr className="border-b text-left text-ink-faint text-xs">
        {columns.map((column) => {
          const [name, own] = typeof column === 'string' ? [column] : column
          return (
            <th key={name} scope="col" className={clsx('font-normal', cell, own)}>
              {name}
            </th>
          )
        })}
        {hasActions ? (
          <th scope="col" className={cell}>
            <span className="sr-only">Actions</span>
          </th>
        ) : null}
      </tr>
    </thead>
  )
}
