import { createFileRoute } from '@tanstack/react-router'
import { ActivityFilter } from '../../features/activity/filter.ts'
import { activityQuery } from '../../features/activity/queries.ts'
import { ActivityScreen } from '../../screens/library/activity-screen.tsx'

export const Route = createFileRoute('/_signed-in/l/$library/activity')({
  validateSearch: ActivityFilter,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) =>
    context.queryClient.infiniteQuery({ ...activityQuery(params.library, deps), staleTime: 'static' }),
  component: ActivityScreen,
})
