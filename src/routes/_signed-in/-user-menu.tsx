import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Keyboard, LogOut, Palette, ShieldCheck, UserRound } from 'lucide-react'
import { Avatar } from '../../components/avatar.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.tsx'
import { signOut } from '../../features/account/mutations.ts'
import { profileQuery } from '../../features/profile/queries.ts'
import { explainAuth } from '../../lib/auth-messages.ts'
import { avatarUrl } from '../../lib/avatar-url.ts'
import { t } from '../../lib/i18n.ts'
import { say } from '../../lib/toast.ts'
import { useSession } from '../../lib/use-session.ts'

export function UserMenu({ onShortcuts }: { onShortcuts: () => void }) {
  const { user } = useSession()
  const { data: profile } = useQuery(profileQuery(user.id))
  const leaving = useMutation({ ...signOut, onError: (error) => say({ title: explainAuth(error), failed: true }) })
  const name = profile?.display_name ?? user.email ?? t('You')
  return (
    <Menu
      label={user.email ?? t('Account')}
      trigger={
        <button type="button" aria-label={t('Account of {name}', { name })} className="rounded-full">
          <Avatar decorative name={name} src={avatarUrl(profile?.avatar_path ?? null)} className="size-9" />
        </button>
      }
    >
      <MenuItem asChild>
        <Link to="/settings/profile">
          <UserRound aria-hidden />
          {t('Profile')}
        </Link>
      </MenuItem>
      <MenuItem asChild>
        <Link to="/settings/security">
          <ShieldCheck aria-hidden />
          {t('Security')}
        </Link>
      </MenuItem>
      <MenuItem asChild>
        <Link to="/settings/appearance">
          <Palette aria-hidden />
          {t('Appearance')}
        </Link>
      </MenuItem>
      <MenuItem onSelect={onShortcuts}>
        <Keyboard aria-hidden />
        {t('Keyboard shortcuts')}
      </MenuItem>
      <MenuSeparator />
      <MenuItem onSelect={() => leaving.mutate('local')}>
        <LogOut aria-hidden />
        {t('Sign out')}
      </MenuItem>
    </Menu>
  )
}
