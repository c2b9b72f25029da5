import { getRouteApi, Link } from '@tanstack/react-router'
import { Beside, SIDE_ENTRY } from '../components/beside.tsx'
import { Page } from '../components/page.tsx'
import { IndexReport, StatementReport, TableReport } from '../features/activity/report.tsx'
import { ServerFiguresPart } from '../features/activity/server-figures.tsx'
import { SessionList } from '../features/activity/session-list.tsx'

const route = getRouteApi('/database')

/** @property part As the address names it. */
const PARTS = [
  { part: undefined, name: 'Server', Part: ServerPart },
  { part: 'sessions', name: 'Sessions', Part: SessionsPart },
  { part: 'statements', name: 'Statements', Part: StatementReport },
  { part: 'tables', name: 'Tables', Part: TableReport },
  { part: 'indexes', name: 'Indexes', Part: IndexReport },
] as const

/** The database's current and past activity, and its cost. */
export function DatabaseScreen() {
  const { part: shown } = route.useSearch()
  const { Part } = PARTS.find(({ part }) => part === shown) ?? PARTS[0]
  return (
    <Beside
      label="Parts"
      className="w-36"
      side={
        <nav aria-label="Parts of the database’s work" className="p-2">
          <ul className="grid gap-0.5">
            {PARTS.map(({ part, name }) => (
              <li key={name}>
                <Link
                  to="/database"
                  search={{ part }}
                  aria-current={part === shown ? 'page' : undefined}
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
      <Part />
    </Beside>
  )
}

function ServerPart() {
  return (
    <Page title="Server">
      <ServerFiguresPart />
    </Page>
  )
}

function SessionsPart() {
  return (
    <Page title="Sessions">
      <SessionList />
    </Page>
  )
}
