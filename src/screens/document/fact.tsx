import type { ReactNode } from 'react'

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-faint">{name}</dt>
      <dd className="flex min-w-0 flex-wrap items-baseline gap-x-2 gap-y-1">{children}</dd>
    </>
  )
}

/** A button that looks like text, so that it wraps and lines up with the values. */
export function FactAction({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button type="button" className="rounded text-start text-accent-strong hover:underline" onClick={onClick}>
      {children}
    </button>
  )
}
