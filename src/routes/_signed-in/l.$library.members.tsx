import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { InviteForm } from '../../features/members/invite-form.tsx'
import { MemberList } from '../../features/members/member-list.tsx'
import { membersQuery } from '../../features/members/queries.ts'
import { plural } from '../../lib/format.ts'
import { keys } from '../../lib/keys.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { useSession } from '../../lib/use-session.ts'

export const Route = createFileRoute('/_signed-in/l/$library/members')({
  loader: ({ context, params }) => context.queryClient.query({ ...membersQuery(params.library), staleTime: 'static' }),
  component: Members,
})

function Members() {
  const { library } = Route.useParams()
  const { user } = useSession()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const { data: members } = useSuspenseQuery(membersQuery(library))
  usePageTitle('Members')
  const leave = () => {
    queryClient.removeQueries({ queryKey: keys.library(library) })
    void queryClient.invalidateQueries({ queryKey: keys.libraries })
    void navigate({ to: '/' })
  }
  const isOwner = members.some(({ user_id, role }) => user_id === user.id && role === 'owner')
  return (
    <div className="mx-auto grid w-full max-w-3xl gap-6 px-4 py-6 sm:px-8">
      <div>
        <h1 className="font-semibold font-serif text-[1.75rem] leading-tight tracking-tight">Members</h1>
        <p className="text-ink-faint text-sm">{plural(members.length, 'person', 'people')}</p>
      </div>
      {isOwner ? <InviteForm library={library} /> : null}
      <MemberList library={library} person={user.id} members={members} onLeft={leave} />
    </div>
  )
}
