import { Link, Outlet } from '@tanstack/react-router'
import { Beside } from '../components/beside.tsx'
import { SECTIONS } from '../features/objects/sections.ts'

const ENTRY =
  'block rounded-md px-2 py-1 text-[13px] text-ink-soft hover:bg-panel hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-ink'

/** The diagram and the lists of objects, beside their names. */
export function Schema() {
  return (
    <Beside
      label="Objects"
      className="w-40"
      side={
        <nav aria-label="Objects of the database" className="p-2">
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
      }
    >
      <Outlet />
    </Beside>
  )
}
