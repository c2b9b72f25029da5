import { createFileRoute } from '@tanstack/react-router'
import { AuditFilter } from '../../features/audit/filter.ts'
import { libraryQuery } from '../../features/libraries/queries.ts'
import { AuditScreen } from '../../screens/library/audit-screen.tsx'

export const Route = createFileRoute('/_signed-in/l/$library/settings_/audit')({
  validateSearch: AuditFilter,
  loader: ({ context, params }) => context.queryClient.query({ ...libraryQuery(params.library), staleTime: 'static' }),
  component: AuditScreen,
})
