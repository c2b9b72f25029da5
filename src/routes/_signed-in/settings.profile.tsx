import { useSuspenseQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { ProfileForm } from '../../features/profile/profile-form.tsx'
import { profileQuery } from '../../features/profile/queries.ts'
import { t } from '../../lib/i18n.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { useSession } from '../../lib/use-session.ts'

export const Route = createFileRoute('/_signed-in/settings/profile')({ component: Profile })

function Profile() {
  const { user } = useSession()
  const { data: profile } = useSuspenseQuery(profileQuery(user.id))
  usePageTitle(t('Profile'), t('Settings'))
  return (
    <>
      <h1 className="mb-6 font-semibold font-serif text-3xl tracking-tight">{t('Profile')}</h1>
      <ProfileForm profile={profile} email={user.email} />
    </>
  )
}
