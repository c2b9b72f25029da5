import { createFileRoute } from '@tanstack/react-router'
import { libraryQuery } from '../../features/libraries/queries.ts'
import { ApiKeysScreen } from '../../screens/library/api-keys-screen.tsx'

export const Route = createFileRoute('/_signed-in/l/$library/settings_/api')({
  loader: ({ context, params }) => context.queryClient.query({ ...libraryQuery(params.library), staleTime: 'static' }),
  component: ApiKeysScreen,
})
