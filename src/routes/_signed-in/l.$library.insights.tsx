import { createFileRoute } from '@tanstack/react-router'
import { insightsQuery } from '../../features/insights/queries.ts'
import { InsightsScreen } from '../../screens/library/insights-screen.tsx'

export const Route = createFileRoute('/_signed-in/l/$library/insights')({
  loader: ({ context, params }) => context.queryClient.query({ ...insightsQuery(params.library), staleTime: 'static' }),
  component: InsightsScreen,
})
