import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { SettingsSection } from '../../components/settings-section.tsx'
import { collectionsQuery } from '../../features/collections/queries.ts'
import { libraryFieldsQuery } from '../../features/fields/queries.ts'
import { useRole } from '../../features/members/use-role.ts'
import { HoldList } from '../../features/retention/hold-list.tsx'
import { holdsQuery, type Rule, rulesQuery } from '../../features/retention/queries.ts'
import { RuleDialog } from '../../features/retention/rule-dialog.tsx'
import { RuleList } from '../../features/retention/rule-list.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { SettingsPage } from './settings-page.tsx'

const route = getRouteApi('/_signed-in/l/$library/settings_/retention')

export function RetentionScreen() {
  const { library } = route.useParams()
  const { data: rules } = useSuspenseQuery(rulesQuery(library))
  const { data: holds } = useSuspenseQuery(holdsQuery(library))
  const { data: collections = [] } = useQuery(collectionsQuery(library))
  const { data: fields = [] } = useQuery(libraryFieldsQuery(library))
  const isOwner = useRole(library) === 'owner'
  const [open, setOpen] = useState<{ rule: Rule | undefined }>()
  const places = [{ id: null, name: t('The whole library') }, ...collections].filter(
    ({ id }) => !rules.some(({ collection_id }) => collection_id === id),
  )
  return (
    <SettingsPage
      name="retention"
      aside={
        isOwner && places.length > 0 ? (
          <Button icon={Plus} look="primary" onClick={() => setOpen({ rule: undefined })}>
            {t('New rule')}
          </Button>
        ) : null
      }
    >
      {isOwner ? null : <Notice tone="info">{t('Only owners can change a library’s settings.')}</Notice>}
      <div>
        <SettingsSection
          title={t('Rules')}
          lead={t(
            'Each document follows one rule: that of its nearest collection, or else the library’s. Owners are notified a week before a rule moves anything.',
          )}
        >
          {rules.length > 0 ? (
            <RuleList library={library} rules={rules} isOwner={isOwner} onEdit={(rule) => setOpen({ rule })} />
          ) : (
            <p className="text-ink-soft text-sm">
              {t('No rule: documents stay until someone deletes them, then 30 more days in the trash.')}
            </p>
          )}
        </SettingsSection>
        <SettingsSection
          title={t('Legal holds')}
          lead={t('Documents on legal hold can’t be deleted. An owner places a hold in the document’s details.')}
        >
          {holds.length > 0 ? (
            <HoldList library={library} holds={holds} isOwner={isOwner} />
          ) : (
            <p className="text-ink-soft text-sm">{t('No document is on hold.')}</p>
          )}
        </SettingsSection>
      </div>
      {open ? (
        <RuleDialog
          library={library}
          rule={open.rule}
          places={places}
          dates={fields.filter(({ kind }) => kind === 'date')}
          onClose={() => setOpen(undefined)}
        />
      ) : null}
    </SettingsPage>
  )
}
