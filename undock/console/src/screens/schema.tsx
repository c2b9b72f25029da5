import { Outlet } from '@tanstack/react-router'
import { MenuLink, SideMenu, SplitPane } from '../components/split-pane.tsx'
import { SECTIONS } from '../features/objects/sections.ts'

/** The diagram and the lists of objects, next to a menu. */
export function Schema() {
  return (
    <SplitPane
      label="Objects"
      className="w-40"
      side={
        <SideMenu label="Objects of the database">
          <MenuLink to="/schema" activeOptions={{ exact: true, includeSearch: false }}>
            Diagram
          </MenuLink>
          {SECTIONS.map(({ id, name }) => (
            <MenuLink key={id} to="/schema/$section" params={{ section: id }} activeOptions={{ includeSearch: false }}>
              {name}
            </MenuLink>
          ))}
        </SideMenu>
      }
    >
      <Outlet />
    </SplitPane>
  )
}
