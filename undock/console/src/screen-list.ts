import {
  Activity,
  Archive,
  ClockAlert,
  Database,
  Gauge,
  GitBranch,
  LayoutDashboard,
  type LucideIcon,
  Mail,
  Radio,
  ScrollText,
  Settings,
  ShieldAlert,
  ShieldCheck,
  SquareFunction,
  SquareTerminal,
  Users,
  Workflow,
} from 'lucide-react'

export type Screen = { readonly to: string; readonly name: string; readonly icon: LucideIcon }

/** The console's screens in the sidebar's order. */
export const SCREENS: readonly Screen[] = [
  { to: '/', name: 'Overview', icon: LayoutDashboard },
  { to: '/tables', name: 'Tables', icon: Database },
  { to: '/sql', name: 'SQL', icon: SquareTerminal },
  { to: '/schema', name: 'Schema', icon: Workflow },
  { to: '/users', name: 'Users', icon: Users },
  { to: '/policies', name: 'Policies', icon: ShieldCheck },
  { to: '/requests', name: 'Requests', icon: Activity },
  { to: '/logs', name: 'Logs', icon: ScrollText },
  { to: '/database', name: 'Database', icon: Gauge },
  { to: '/advisors', name: 'Advisors', icon: ShieldAlert },
  { to: '/storage', name: 'Storage', icon: Archive },
  { to: '/realtime', name: 'Realtime', icon: Radio },
  { to: '/functions', name: 'Functions', icon: SquareFunction },
  { to: '/mail', name: 'Mail', icon: Mail },
  { to: '/branches', name: 'Branches', icon: GitBranch },
  { to: '/time-and-faults', name: 'Time and faults', icon: ClockAlert },
  { to: '/settings', name: 'Settings', icon: Settings },
]
