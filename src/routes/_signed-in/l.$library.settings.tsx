import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { Notice } from '../../components/notice.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { SettingsSection } from '../../components/settings-section.tsx'
import { libraryQuery } from '../../features/libraries/queries.ts'
import { DeleteLibrary } from '../../features/library-settings/delete-library.tsx'
import { NameForm } from '../../features/library-settings/name-form.tsx'
import { SecondFactorSetting } from '../../features/library-settings/second-factor-setting.tsx'
import { claimsQuery } from '../../features/security/queries.ts'
import { ExportLibrary, ImportIntoLibrary } from '../../features/transfer/transfer-section.tsx'
import { t } from '../../lib/i18n.ts'
import { keys } from '../../lib/keys.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { say, sayFailure } from '../../lib/toast.ts'
import { useSession } from '../../lib/use-session.ts'
import { addFiles } from './-add-files.ts'
import { useRole } from './-role.ts'

export const Route = createFileRoute('/_signed-in/l/$library/settings')({
  loader: ({ context, params }) => context.queryClient.query({ ...libraryQuery(params.library), staleTime: 'static' }),
  component: LibrarySettings,
})

function LibrarySettings() {
  const { library: id } = Route.useParams()
  const { access_token } = useSession()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const { data: library } = useSuspenseQuery(libraryQuery(id))
  const { data: claims } = useQuery(claimsQuery(access_token))
  const role = useRole(id)
  usePageTitle(t('Settings'), library.name)
  const leave = async () => {
    say({ title: t('“{name}” is deleted', { name: library.name }) })
    await navigate({ to: '/' })
    queryClient.removeQueries({ queryKey: keys.library(id) })
    await queryClient.invalidateQueries({ queryKey: keys.libraries })
  }
  return (
    <div className="mx-auto grid w-full max-w-3xl grid-cols-1 gap-8 px-4 py-6 sm:px-8">
      <PageHeading title={t('Settings')}>{library.name}</PageHeading>
      {role === 'owner' ? (
        <div>
          <SettingsSection title={t('Name')}>
            <NameForm key={`${library.name} ${library.description}`} library={library} />
          </SettingsSection>
          <SettingsSection title={t('Second factor')}>
            <SecondFactorSetting library={library} hasSecondFactor={claims?.aal === 'aal2'} />
          </SettingsSection>
          <Transfer library={library} />
          <SettingsSection title={t('Delete')} lead={t('For everybody, and for good.')}>
            <DeleteLibrary library={library} onDeleted={() => void leave()} />
          </SettingsSection>
        </div>
      ) : role ? (
        <div className="grid gap-8">
          <Notice tone="info">{t('Only owners change the settings of a library.')}</Notice>
          {role === 'editor' ? (
            <div>
              <Transfer library={library} />
            </div>
          ) : null}
        </div>
      ) : null}
    </div>
  )
}

function Transfer({ library }: { library: { id: string; name: string } }) {
  const queryClient = useQueryClient()
  return (
    <>
      <SettingsSection title={t('Take everything along')}>
        <ExportLibrary library={library} />
      </SettingsSection>
      <SettingsSection title={t('Bring something in')}>
        <ImportIntoLibrary
          library={library}
          onFiles={(files) => {
            void addFiles(queryClient, files, { library: library.id, collection: undefined }).catch(sayFailure)
          }}
        />
      </SettingsSection>
    </>
  )
}
