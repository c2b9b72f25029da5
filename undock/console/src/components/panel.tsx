import clsx from 'clsx'
import { type ReactNode, useId } from 'react'

type PanelProps = { title: string; actions?: ReactNode; children: ReactNode; className?: string }

/** A part of a screen in a frame, under a heading. */
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
