import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import {
  ChartNoAxesColumn,
  History,
  Keyboard,
  LayoutGrid,
  Library,
  LogOut,
  MessageCircleQuestion,
  Moon,
  Palette as Paint,
  Rows2,
  Rows4,
  Search,
  Settings2,
  ShieldCheck,
  Sun,
  Trash2,
  UserRound,
  Users,
} from 'lucide-react'
import { describeAuthError } from '../../domain/auth-messages.ts'
import type { Role } from '../../domain/roles.ts'
import { signOut } from '../../features/account/mutations.ts'
import { describeKind } from '../../features/documents/kinds.ts'
import { titlesQuery } from '../../features/documents/queries.ts'
import { librariesQuery } from '../../features/libraries/queries.ts'
import { CommandPalette, type PaletteGroup } from '../../features/palette/command-palette.tsx'
import { msg, t } from '../../lib/i18n/i18n.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { setAppearance } from '../../lib/ui/appearance.ts'
import { showToast } from '../../lib/ui/toast.ts'

const PLACES = [
  { to: '/l/$library', label: msg('All documents'), icon: LayoutGrid, from: 'guest' },
  { to: '/l/$library/search', label: msg('Search'), icon: Search, from: 'guest' },
  { to: '/l/$library/ask', label: msg('Ask'), icon: MessageCircleQuestion, from: 'reader' },
  { to: '/l/$library/activity', label: msg('Activity'), icon: History, from: 'reader' },
  { to: '/l/$library/members', label: msg('Members'), icon: Users, from: 'reader' },
  { to: '/l/$library/insights', label: msg('Insights'), icon: ChartNoAxesColumn, from: 'reader' },
  { to: '/l/$library/settings', label: msg('Settings of this library'), icon: Settings2, from: 'reader' },
  { to: '/l/$library/trash', label: msg('Trash'), icon: Trash2, from: 'editor' },
] as const

const RISING: readonly Role[] = ['guest', 'reader', 'editor', 'owner']
const placesOf = (role: Role | undefined) =>
  PLACES.filter(({ from }) => RISING.indexOf(role ?? 'guest') >= RISING.indexOf(from))

type PaletteProps = { open: boolean; onOpenChange: (open: boolean) => void; onShortcuts: () => void }

/** The command palette with the pages and actions of the open screen. */
export function Palette({ open, onOpenChange, onShortcuts }: PaletteProps) {
  const { user } = useSession()
  const navigate = useNavigate()
  const { library } = useParams({ strict: false })
  const signingOut = useMutation({
    ...signOut,
    onError: (error) => showToast({ title: describeAuthError(error), failed: true }),
  })
  const { data: libraries = [] } = useQuery(librariesQuery(user.id))
  const { data: titles = [] } = useQuery({ ...titlesQuery(library ?? ''), enabled: library !== undefined })

  const groups: PaletteGroup[] = [
    {
      heading: t('Libraries'),
      actions: [
        { id: 'home', label: t('My libraries'), icon: Library, run: () => void navigate({ to: '/' }) },
        ...libraries.map(({ id, name }) => ({
          id,
          label: name,
          icon: Library,
          run: () => void navigate({ to: '/l/$library', params: { library: id } }),
        })),
      ],
    },
    ...(library
      ? [
          {
            heading: t('This library'),
            actions: [
              ...placesOf(libraries.find(({ id }) => id === library)?.role).map(({ to, label, icon }) => ({
                id: to,
                label: t(label),
                icon,
                run: () => void navigate({ to, params: { library } }),
              })),
              ...titles.map((document) => ({
                id: document.id,
                label: document.title,
                hint: describeKind(document).label,
                icon: describeKind(document).icon,
                run: () => void navigate({ to: '/l/$library/d/$document', params: { library, document: document.id } }),
              })),
            ],
          },
        ]
      : []),
    {
      heading: t('Settings'),
      actions: [
        { id: 'profile', label: t('Profile'), icon: UserRound, run: () => void navigate({ to: '/settings/profile' }) },
        {
          id: 'security',
          label: t('Security'),
          icon: ShieldCheck,
          run: () => void navigate({ to: '/settings/security' }),
        },
        {
          id: 'appearance',
          label: t('Appearance'),
          icon: Paint,
          run: () => void navigate({ to: '/settings/appearance' }),
        },
        { id: 'light', label: t('Light theme'), icon: Sun, run: () => setAppearance({ theme: 'light' }) },
        { id: 'dark', label: t('Dark theme'), icon: Moon, run: () => setAppearance({ theme: 'dark' }) },
        {
          id: 'comfortable',
          label: t('Comfortable density'),
          icon: Rows2,
          run: () => setAppearance({ density: 'comfortable' }),
        },
        { id: 'compact', label: t('Compact density'), icon: Rows4, run: () => setAppearance({ density: 'compact' }) },
        { id: 'sign-out', label: t('Sign out'), icon: LogOut, run: () => signingOut.mutate('local') },
        { id: 'shortcuts', label: t('Keyboard shortcuts'), icon: Keyboard, run: onShortcuts },
      ],
    },
  ]
  return (
    <CommandPalette
      open={open}
      onOpenChange={onOpenChange}
      groups={groups}
      onSearch={
        library ? (q) => void navigate({ to: '/l/$library/search', params: { library }, search: { q } }) : undefined
      }
    />
  )
}
