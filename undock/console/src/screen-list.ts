import { Database, LayoutDashboard, type LucideIcon, ShieldCheck, SquareTerminal, Users } from 'lucide-react'

export type Screen = { readonly to: string; readonly name: string; readonly icon: LucideIcon }

/** The screens of the console, in the order of the sidebar. */
export const SCREENS: readonly Screen[] = [
  { to: '/', name: 'Overview', icon: LayoutDashboard },
  { to: '/tables', name: 'Tables', icon: Database },
  { to: '/sql', name: 'SQL', icon: SquareTerminal },
  { to: '/users', name: 'Users', icon: Users },
  { to: '/policies', name: 'Policies', icon: ShieldCheck },
]
