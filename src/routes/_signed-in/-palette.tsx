import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Keyboard, Library, Moon, Palette as Paint, ShieldCheck, Sun, UserRound, Users } from 'lucide-react'
import { describeKind } from '../../features/documents/kinds.ts'
import { titlesQuery } from '../../features/documents/queries.ts'
import { librariesQuery } from '../../features/libraries/queries.ts'
import { CommandPalette, type PaletteGroup } from '../../features/palette/command-palette.tsx'
import { setAppearance } from '../../lib/appearance.ts'
import { t } from '../../lib/i18n.ts'
import { useSession } from '../../lib/use-session.ts'

type PaletteProps = { open: boolean; onOpenChange: (open: boolean) => void; onShortcuts: () => void }

/** Puts together what can be gone to and done from where one is. */
export function Palette({ open, onOpenChange, onShortcuts }: PaletteProps) {
  const { user } = useSession()
  const navigate = useNavigate()
  const { library } = useParams({ strict: false })
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
              {
                id: 'members',
                label: t('Members'),
                icon: Users,
                run: () => void navigate({ to: '/l/$library/members', params: { library } }),
              },
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
