import { createFileRoute } from '@tanstack/react-router'
import { groupsQuery, membersQuery } from '../../features/members/queries.ts'
import { GroupsScreen } from '../../screens/library/groups-screen.tsx'

export const Route = createFileRoute('/_signed-in/l/$library/settings_/groups')({
  loader: ({ context: { queryClient }, params: { library } }) =>
    Promise.all([
      queryClient.query({ ...groupsQuery(library), staleTime: 'static' }),
      queryClient.query({ ...membersQuery(library), staleTime: 'static' }),
    ]),
  component: GroupsScreen,
})
