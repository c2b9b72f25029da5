import { createFileRoute } from '@tanstack/react-router'
import { membersQuery } from '../../features/members/queries.ts'
import { MembersScreen } from '../../screens/library/members-screen.tsx'

export const Route = createFileRoute('/_signed-in/l/$library/members')({
  loader: ({ context, params }) => context.queryClient.query({ ...membersQuery(params.library), staleTime: 'static' }),
  component: MembersScreen,
})
