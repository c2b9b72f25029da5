import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

type EmptyStateProps = {
  icon: LucideIcon
  title: string
  children: ReactNode
  action?: ReactNode
  /** The heading level: 1 if the page has nothing else. */
  level?: 1 | 2
}

/** Says that there is nothing here yet, and what to do. */
export function EmptyState({ icon: Icon, title, children, action, level = 2 }: EmptyStateProps) {
  const Heading = `h${level}` as const
  return (
    <section className="mx-auto grid max-w-md justify-items-center gap-3 px-4 py-16 text-center">
      <span className="grid size-14 place-items-center rounded-full border border-line bg-surface text-accent">
        <Icon aria-hidden className="size-6" strokeWidth={1.5} />
      </span>
      <Heading className="font-semibold font-serif text-xl">{title}</Heading>
      <div className="text-ink-soft text-sm leading-relaxed">{children}</div>
      {action ? <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div> : null}
    </section>
  )
}
