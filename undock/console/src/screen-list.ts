import { Archive, Database, LayoutDashboard, type LucideIcon, Mail, SquareFunction, SquareTerminal } from 'lucide-react'

export type Screen = { readonly to: string; readonly name: string; readonly icon: LucideIcon }

/** The screens of the console, in the order of the sidebar. */
export const SCREENS: readonly Screen[] = [
  { to: '/', name: 'Overview', icon: LayoutDashboard },
  { to: '/tables', name: 'Tables', icon: Database },
  { to: '/sql', name: 'SQL', icon: SquareTerminal },
  { to: '/storage', name: 'Storage', icon: Archive },
  { to: '/functions', name: 'Functions', icon: SquareFunction },
  { to: '/mail', name: 'Mail', icon: Mail },
]
