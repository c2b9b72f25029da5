import type { ReactNode } from 'react'

export function PageHeading({ title, children, aside }: { title: string; children?: ReactNode; aside?: ReactNode }) {
  return (
    <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div>
        <h1 className="font-semibold font-serif text-[1.75rem] leading-tight tracking-tight">{title}</h1>
        {children ? <p className="text-ink-faint text-sm">{children}</p> : null}
      </div>
      {aside}
    </div>
  )
}
