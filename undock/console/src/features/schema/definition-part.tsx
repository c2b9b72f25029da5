import type { ReactNode } from 'react'

/** One kind of thing that a table has, with its title and what can be done. */
export const DefinitionPart = ({
  title,
  actions,
  children,
}: {
  title: string
  actions?: ReactNode
  children: ReactNode
}) => (
  <section>
    <div className="mb-2 flex min-h-8 items-center justify-between">
      <h2 className="font-semibold">{title}</h2>
      {actions}
    </div>
    <div className="overflow-auto rounded-lg border bg-raised">{children}</div>
  </section>
)
