import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../components/page.tsx'
import { MenuLink, SideMenu, SplitPane } from '../components/split-pane.tsx'
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
    <SplitPane
      label="Parts"
      className="w-36"
      side={
        <SideMenu label="Parts of the database’s work">
          {PARTS.map(({ part, name }) => (
            <MenuLink key={name} to="/database" search={{ part }} aria-current={part === shown ? 'page' : undefined}>
              {name}
            </MenuLink>
          ))}
        </SideMenu>
      }
    >
      <Part />
    </SplitPane>
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
