import { Link, Outlet } from '@tanstack/react-router'
import { Beside, SIDE_ENTRY } from '../components/beside.tsx'
import { SECTIONS } from '../features/objects/sections.ts'

/** The diagram and the lists of objects, next to a menu. */
export function Schema() {
  return (
    <Beside
      label="Objects"
      className="w-40"
      side={
        <nav aria-label="Objects of the database" className="p-2">
          <ul className="grid gap-0.5">
            <li>
              <Link to="/schema" activeOptions={{ exact: true, includeSearch: false }} className={SIDE_ENTRY}>
                Diagram
              </Link>
            </li>
            {SECTIONS.map(({ id, name }) => (
              <li key={id}>
                <Link
                  to="/schema/$section"
                  params={{ section: id }}
                  activeOptions={{ includeSearch: false }}
                  className={SIDE_ENTRY}
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
