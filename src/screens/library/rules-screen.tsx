import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Plus, Workflow } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Notice } from '../../components/notice.tsx'
import { isAtLeast } from '../../domain/roles.ts'
import { collectionsQuery } from '../../features/collections/queries.ts'
import { pathsOf } from '../../features/collections/tree.ts'
import { libraryFieldsQuery } from '../../features/fields/queries.ts'
import { membersQuery } from '../../features/members/queries.ts'
import { useRole } from '../../features/members/use-role.ts'
import { rulesQuery } from '../../features/rules/queries.ts'
import { MAX_RULES, type Names } from '../../features/rules/rule.ts'
import { RuleDialog } from '../../features/rules/rule-dialog.tsx'
import { RuleList, type RuleTask } from '../../features/rules/rule-list.tsx'
import { RunsDialog } from '../../features/rules/runs-dialog.tsx'
import { TrialDialog } from '../../features/rules/trial-dialog.tsx'
import { tagsQuery } from '../../features/tags/queries.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { SettingsPage } from './settings-page.tsx'

const route = getRouteApi('/_signed-in/l/$library/settings_/rules')

export function RulesScreen() {
  const { library } = route.useParams()
  const { data: rules } = useSuspenseQuery(rulesQuery(library))
  const names = useNames(library)
  const role = useRole(library)
  const [task, setTask] = useState<RuleTask | 'new'>()
  const close = () => setTask(undefined)

  const mayEdit = isAtLeast(role, 'editor')
  const isFull = rules.length >= MAX_RULES
  return (
    <SettingsPage
      name="rules"
      lead={t('What happens to a document when it arrives. Rules are tried in order.')}
      aside={
        mayEdit && rules.length > 0 ? (
          <Button icon={Plus} look="primary" disabled={isFull} onClick={() => setTask('new')}>
            {t('New rule')}
          </Button>
        ) : null
      }
    >
      {role && !mayEdit ? (
        <Notice tone="info">{t('Only owners and editors can set a library’s rules.')}</Notice>
      ) : rules.length > 0 ? (
        <RuleList library={library} names={names} rules={rules} onTask={setTask} />
      ) : mayEdit ? (
        <EmptyState
          icon={Workflow}
          title={t('No rules yet')}
          action={
            <Button icon={Plus} look="primary" onClick={() => setTask('new')}>
              {t('New rule')}
            </Button>
          }
        >
          {t('For example: when a file with “invoice” in its title is added, tag it and move it to “Invoices”.')}
        </EmptyState>
      ) : null}
      {isFull ? <Notice tone="info">{t('A library can have at most 50 rules.')}</Notice> : null}
      {task === 'new' ? (
        <RuleDialog library={library} names={names} rule={undefined} onClose={close} />
      ) : task?.open === 'edit' ? (
        <RuleDialog library={library} names={names} rule={task.rule} onClose={close} />
      ) : task?.open === 'trial' ? (
        <TrialDialog library={library} names={names} rule={task.rule} onClose={close} />
      ) : task ? (
        <RunsDialog library={library} rule={task.rule} onClose={close} />
      ) : null}
    </SettingsPage>
  )
}

function useNames(library: string): Names {
  const { data: collections = [] } = useQuery(collectionsQuery(library))
  const { data: tags = [] } = useQuery(tagsQuery(library))
  const { data: fields = [] } = useQuery(libraryFieldsQuery(library))
  const { data: members = [] } = useQuery(membersQuery(library))
  return useMemo(
    () => ({
      collections: pathsOf(collections),
      tags,
      fields,
      people: members.map(({ user_id, profile }) => ({ id: user_id, name: profile.display_name })),
    }),
    [collections, tags, fields, members],
  )
}
