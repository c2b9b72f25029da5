import { createFileRoute } from '@tanstack/react-router'
import { ActivitySearch } from '../../features/activity/filter.ts'
import { activityQuery } from '../../features/activity/queries.ts'
import { ActivityScreen } from '../../screens/library/activity-screen.tsx'

export const Route = createFileRoute('/_signed-in/l/$library/activity')({
  validateSearch: ActivitySearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { queryClient }, params: { library }, deps: { audit, ...filter } }) => {
    if (!audit) await queryClient.infiniteQuery({ ...activityQuery(library, filter), staleTime: 'static' })
  },
  component: ActivityScreen,
})
