import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Notice } from '../../components/notice.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { PermanentDeletion } from '../../components/permanent-deletion.tsx'
import { SettingsSection } from '../../components/settings-section.tsx'
import { showFailure } from '../../domain/failure-toast.ts'
import { keys } from '../../domain/keys.ts'
import { isAtLeast } from '../../domain/roles.ts'
import { libraryQuery } from '../../features/libraries/queries.ts'
import { ModelsSetting } from '../../features/library-settings/models-setting.tsx'
import { deleteLibrary } from '../../features/library-settings/mutations.ts'
import { NameForm } from '../../features/library-settings/name-form.tsx'
import { RecognitionSetting } from '../../features/library-settings/recognition-setting.tsx'
import { SecondFactorSetting } from '../../features/library-settings/second-factor-setting.tsx'
import { useRole } from '../../features/members/use-role.ts'
import { TemplateList } from '../../features/notes/templates/template-list.tsx'
import { claimsQuery } from '../../features/security/queries.ts'
import { ExportLibrary, ImportIntoLibrary } from '../../features/transfer/transfer-section.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'
import { showToast } from '../../lib/ui/toast.ts'
import { addFiles } from './add-files.ts'
import { SettingsPages } from './settings-pages.tsx'
import { useReferences } from './use-references.tsx'

const route = getRouteApi('/_signed-in/l/$library/settings')

export function LibrarySettingsScreen() {
  const { library: id } = route.useParams()
  const { access_token } = useSession()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const { data: library } = useSuspenseQuery(libraryQuery(id))
  const { data: claims } = useQuery(claimsQuery(access_token))
  const role = useRole(id)
  usePageTitle(t('Settings'), library.name)
  const leave = async () => {
    showToast({ title: t('“{name}” was deleted', { name: library.name }) })
    await navigate({ to: '/' })
    queryClient.removeQueries({ queryKey: keys.library(id) })
  }
  const { mutate, ...deletion } = useMutation({ ...deleteLibrary, onSuccess: () => void leave() })
  return (
    <div className="grid w-full max-w-3xl grid-cols-1 gap-8 px-4 py-6 sm:px-8">
      <PageHeading title={t('Settings')}>{library.name}</PageHeading>
      {role === 'owner' ? (
        <SettingsSection title={t('Name')}>
          <NameForm key={`${library.name} ${library.description}`} library={library} />
        </SettingsSection>
      ) : null}
      {isAtLeast(role, 'editor') ? <SettingsPages library={library.id} isOwner={role === 'owner'} /> : null}
      {role === 'owner' ? (
        <div>
          <SettingsSection title={t('Second factor')}>
            <SecondFactorSetting
              library={library}
              hasSecondFactor={claims === undefined ? undefined : claims?.aal === 'aal2'}
            />
          </SettingsSection>
          <SettingsSection title={t('Language models')}>
            <ModelsSetting library={library} />
          </SettingsSection>
          <SettingsSection title={t('Scans')}>
            <RecognitionSetting library={library} />
          </SettingsSection>
          <Templates library={library.id} />
          <Transfer library={library} />
          <SettingsSection title={t('Delete')} lead={t('Permanently, for everyone.')}>
            <PermanentDeletion
              action={t('Delete this library…')}
              title={t('Delete “{name}”?', { name: library.name })}
              description={t(
                'Its documents, comments and members are permanently deleted for everyone. Export it first.',
              )}
              label={t('Type its name to continue')}
              expected={library.name}
              mistake={t('The name doesn’t match. The library is called {name}.', { name: library.name })}
              deletion={{ ...deletion, mutate: () => mutate(library.id) }}
            />
          </SettingsSection>
        </div>
      ) : role ? (
        <div className="grid gap-8">
          <Notice tone="info">{t('Only owners can change a library’s settings.')}</Notice>
          {role === 'editor' ? (
            <div>
              <Templates library={library.id} />
              <Transfer library={library} />
            </div>
          ) : null}
        </div>
      ) : null}
    </div>
  )
}

function Templates({ library }: { library: string }) {
  const references = useReferences(library)
  return (
    <SettingsSection title={t('Templates')} lead={t('Starting texts for this library’s notes.')}>
      <TemplateList library={library} references={references} />
    </SettingsSection>
  )
}

function Transfer({ library }: { library: { id: string; name: string } }) {
  const queryClient = useQueryClient()
  return (
    <>
      <SettingsSection title={t('Export')}>
        <ExportLibrary library={library} />
      </SettingsSection>
      <SettingsSection title={t('Import')}>
        <ImportIntoLibrary
          library={library.id}
          onFiles={(files) => {
            void addFiles(queryClient, files, { library: library.id, collection: undefined }).catch(showFailure)
          }}
        />
      </SettingsSection>
    </>
  )
}
