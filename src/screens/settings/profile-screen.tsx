import { useSuspenseQuery } from '@tanstack/react-query'
import { MailSettings } from '../../features/notifications/mail-settings.tsx'
import { ProfileForm } from '../../features/profile/profile-form.tsx'
import { profileQuery } from '../../features/profile/queries.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'

export function ProfileScreen() {
  const { user } = useSession()
  const { data: profile } = useSuspenseQuery(profileQuery(user.id))
  usePageTitle(t('Profile'), t('Settings'))
  return (
    <>
      <h1 className="mb-6 font-semibold font-serif text-3xl tracking-tight">{t('Profile')}</h1>
      <ProfileForm profile={profile} email={user.email} />
      <MailSettings person={user.id} />
    </>
  )
}
