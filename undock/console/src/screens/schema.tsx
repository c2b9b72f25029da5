import { Link, Outlet } from '@tanstack/react-router'
import { SECTIONS } from '../features/objects/sections.ts'

const ENTRY =
  'block rounded-md px-2 py-1 text-[13px] text-ink-soft hover:bg-panel hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-ink'

/** The diagram and the lists of objects, beside their names. */
export function Schema() {
  return (
    <div className="flex h-full">
      <nav aria-label="Objects of the database" className="w-40 shrink-0 overflow-auto border-r p-2">
        <ul className="grid gap-0.5">
          <li>
            <Link to="/schema" activeOptions={{ exact: true, includeSearch: false }} className={ENTRY}>
              Diagram
            </Link>
          </li>
          {SECTIONS.map(({ id, name }) => (
            <li key={id}>
              <Link
                to="/schema/$section"
                params={{ section: id }}
                activeOptions={{ includeSearch: false }}
                className={ENTRY}
              >
                {name}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className="min-w-0 flex-1">
        <Outlet />
      </div>
    </div>
  )
}
