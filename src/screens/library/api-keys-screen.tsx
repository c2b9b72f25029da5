import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { CopyField } from '../../components/copy-field.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { SettingsSection } from '../../components/settings-section.tsx'
import { ApiKeyList } from '../../features/api-keys/api-key-list.tsx'
import { NewApiKey } from '../../features/api-keys/new-api-key.tsx'
import { apiKeysQuery } from '../../features/api-keys/queries.ts'
import { useRole } from '../../features/members/use-role.ts'
import { env } from '../../lib/backend/env.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { SettingsPage } from './settings-page.tsx'

const route = getRouteApi('/_signed-in/l/$library/settings_/api')

export function ApiKeysScreen() {
  const { library: id } = route.useParams()
  const role = useRole(id)
  return (
    <SettingsPage
      name="api"
      lead={t(
        'With a key, a program acts in this library as the owner who created it, with the permissions you choose.',
      )}
    >
      {role === 'owner' ? (
        <Keys library={id} />
      ) : role ? (
        <Notice tone="info">{t('Only owners can see and create a library’s keys.')}</Notice>
      ) : null}
    </SettingsPage>
  )
}

function Keys({ library }: { library: string }) {
  const { data: apiKeys = [], error, isPending } = useQuery(apiKeysQuery(library))
  const address = `${env.supabaseUrl}/functions/v1/api/v1`
  return (
    <div>
      <SettingsSection title={t('New key')}>
        <NewApiKey library={library} />
      </SettingsSection>
      <SettingsSection title={t('Keys')}>
        <FailureNotice error={error} />
        {isPending ? null : <ApiKeyList library={library} apiKeys={apiKeys} />}
      </SettingsSection>
      <SettingsSection title={t('For programs')} lead={t('Programs send the key in the header Authorization: Bearer.')}>
        <CopyField label={t('API address')} value={address} />
        <p className="mt-3 text-sm">
          <a href={`${address}/openapi.json`} target="_blank" rel="noreferrer" className="text-accent-strong underline">
            {t('Description of the API (OpenAPI)')}
          </a>
        </p>
      </SettingsSection>
    </div>
  )
}
