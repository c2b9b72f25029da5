import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { PageHeading } from '../../components/page-heading.tsx'
import { keys } from '../../domain/keys.ts'
import { collectionsQuery } from '../../features/collections/queries.ts'
import { GrantDialog } from '../../features/members/grant-dialog.tsx'
import { InviteForm } from '../../features/members/invite-form.tsx'
import { MemberList } from '../../features/members/member-list.tsx'
import { OpenInvitations } from '../../features/members/open-invitations.tsx'
import {
  grantsQuery,
  groupsQuery,
  type Member,
  membersQuery,
  openInvitationsQuery,
} from '../../features/members/queries.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'

const route = getRouteApi('/_signed-in/l/$library/members')

export function MembersScreen() {
  const { library } = route.useParams()
  const { user } = useSession()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const { data: members } = useSuspenseQuery(membersQuery(library))
  const isOwner = members.some(({ user_id, role }) => user_id === user.id && role === 'owner')
  const { data: collections = [] } = useQuery(collectionsQuery(library))
  const { data: grants = [] } = useQuery(grantsQuery(library))
  const { data: groups = [] } = useQuery(groupsQuery(library))
  const { data: invitations = [] } = useQuery({ ...openInvitationsQuery(library), enabled: isOwner })
  const [granting, setGranting] = useState<Member>()
  usePageTitle(t('Members'))
  const leave = () => {
    queryClient.removeQueries({ queryKey: keys.library(library) })
    void navigate({ to: '/' })
  }
  return (
    <div className="grid w-full max-w-3xl grid-cols-1 gap-6 px-4 py-6 sm:px-8">
      <PageHeading title={t('Members')}>
        {t('{count, plural, one {# person} other {# people}}', { count: members.length })}
      </PageHeading>
      {isOwner ? <InviteForm library={library} collections={collections} /> : null}
      {isOwner ? <OpenInvitations library={library} invitations={invitations} collections={collections} /> : null}
      <MemberList
        library={library}
        person={user.id}
        members={members}
        grants={grants}
        groups={groups}
        onLeft={leave}
        onGrant={setGranting}
      />
      {granting ? (
        <GrantDialog
          library={library}
          grantee={{ person: granting.user_id }}
          name={granting.profile.display_name}
          collections={collections}
          onClose={() => setGranting(undefined)}
        />
      ) : null}
    </div>
  )
}
