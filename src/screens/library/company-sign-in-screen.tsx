import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Building2 } from 'lucide-react'
import { EmptyState } from '../../components/empty-state.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { ClaimForm } from '../../features/company-sign-in/claim-form.tsx'
import { DomainCard } from '../../features/company-sign-in/domain-card.tsx'
import { serviceProviderQuery, signInDomainsQuery } from '../../features/company-sign-in/queries.ts'
import { useRole } from '../../features/members/use-role.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { SettingsPage } from './settings-page.tsx'

const route = getRouteApi('/_signed-in/l/$library/settings_/sign-in')

export function CompanySignInScreen() {
  const { library: id } = route.useParams()
  const role = useRole(id)
  return (
    <SettingsPage name="sign-in">
      {role === 'owner' ? (
        <Domains library={id} />
      ) : role ? (
        <Notice tone="info">{t('Only owners can see and change how people from a company sign in.')}</Notice>
      ) : null}
    </SettingsPage>
  )
}

function Domains({ library }: { library: string }) {
  const { data: domains, error } = useQuery(signInDomainsQuery(library))
  const { data: service, error: failure } = useQuery(serviceProviderQuery)
  if (error) return <FailureNotice error={error} />
  if (!domains) return <Skeleton className="h-40" />
  return (
    <>
      {service === null ? (
        <Notice tone="info" title={t('SAML isn’t enabled here yet')}>
          {t(
            'You can set everything up, but no one can sign in with a company until an administrator of the backend has turned SAML on. See docs/sign-in-by-company.md.',
          )}
        </Notice>
      ) : null}
      <FailureNotice error={failure} />
      <ClaimForm library={library} />
      {domains.length === 0 ? (
        <EmptyState icon={Building2} title={t('No company yet')}>
          {t(
            'Add your email domain, prove by DNS that you own it, then connect your identity provider: Entra ID, Okta, Google Workspace, Keycloak or any other provider with SAML.',
          )}
        </EmptyState>
      ) : null}
      {domains.map((domain) => (
        <DomainCard
          key={domain.id}
          library={library}
          domain={domain}
          others={domains.filter(({ id }) => id !== domain.id)}
          service={service}
        />
      ))}
    </>
  )
}
