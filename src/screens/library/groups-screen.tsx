import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Plus, Users } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Notice } from '../../components/notice.tsx'
import { collectionsQuery } from '../../features/collections/queries.ts'
import { GrantDialog } from '../../features/members/grant-dialog.tsx'
import { DeleteGroupDialog, GroupDialog } from '../../features/members/group-dialogs.tsx'
import { GroupList } from '../../features/members/group-list.tsx'
import { type Group, groupsQuery, membersQuery } from '../../features/members/queries.ts'
import { useRole } from '../../features/members/use-role.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { SettingsPage } from './settings-page.tsx'

const route = getRouteApi('/_signed-in/l/$library/settings_/groups')

type Open = { about: 'group'; group: Group | undefined } | { about: 'grant' | 'deletion'; group: Group }

/** A library's groups, their members and grants. Owners edit them. */
export function GroupsScreen() {
  const { library } = route.useParams()
  const { data: groups } = useSuspenseQuery(groupsQuery(library))
  const { data: members } = useSuspenseQuery(membersQuery(library))
  const { data: collections = [] } = useQuery(collectionsQuery(library))
  const isOwner = useRole(library) === 'owner'
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const add = (
    <Button icon={Plus} look="primary" onClick={() => setOpen({ about: 'group', group: undefined })}>
      {t('New group')}
    </Button>
  )
  return (
    <SettingsPage name="groups" aside={isOwner && groups.length > 0 ? add : null}>
      {isOwner ? null : <Notice tone="info">{t('Only owners can change a library’s settings.')}</Notice>}
      {groups.length > 0 ? (
        <GroupList
          library={library}
          groups={groups}
          members={members}
          isOwner={isOwner}
          onEdit={(group) => setOpen({ about: 'group', group })}
          onGrant={(group) => setOpen({ about: 'grant', group })}
          onDelete={(group) => setOpen({ about: 'deletion', group })}
        />
      ) : (
        <EmptyState icon={Users} title={t('No groups yet')} action={isOwner ? add : null}>
          {t('Put people who work together into a group, and give them all access to collections at once.')}
        </EmptyState>
      )}
      {open?.about === 'group' ? (
        <GroupDialog library={library} group={open.group} members={members} onClose={close} />
      ) : null}
      {open?.about === 'grant' ? (
        <GrantDialog
          library={library}
          grantee={{ group: open.group.id }}
          name={open.group.name}
          collections={collections}
          onClose={close}
        />
      ) : null}
      {open?.about === 'deletion' ? <DeleteGroupDialog library={library} group={open.group} onClose={close} /> : null}
    </SettingsPage>
  )
}
