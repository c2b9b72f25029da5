import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Download, Keyboard, LogOut, Palette, ShieldCheck, UserRound } from 'lucide-react'
import { Avatar } from '../../components/avatar.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.tsx'
import { describeAuthError } from '../../domain/auth-messages.ts'
import { avatarUrl } from '../../domain/avatar-url.ts'
import { signOut } from '../../features/account/mutations.ts'
import { profileQuery } from '../../features/profile/queries.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { useInstallation } from '../../lib/ui/installation.ts'
import { showToast } from '../../lib/ui/toast.ts'

export function UserMenu({ onShortcuts }: { onShortcuts: () => void }) {
  const { user } = useSession()
  const { data: profile } = useQuery(profileQuery(user.id))
  const install = useInstallation()
  const signingOut = useMutation({
    ...signOut,
    onError: (error) => showToast({ title: describeAuthError(error), failed: true }),
  })
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
      <MenuItem icon={Keyboard} onSelect={onShortcuts}>
        {t('Keyboard shortcuts')}
      </MenuItem>
      {install ? (
        <MenuItem icon={Download} onSelect={install}>
          {t('Install as an app')}
        </MenuItem>
      ) : null}
      <MenuSeparator />
      <MenuItem onSelect={() => signingOut.mutate('local')}>
        <LogOut aria-hidden className="rtl:-scale-x-100" />
        {t('Sign out')}
      </MenuItem>
    </Menu>
  )
}
