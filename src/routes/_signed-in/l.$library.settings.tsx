import { createFileRoute } from '@tanstack/react-router'
import { libraryQuery } from '../../features/libraries/queries.ts'
import { LibrarySettingsScreen } from '../../screens/library/library-settings-screen.tsx'

export const Route = createFileRoute('/_signed-in/l/$library/settings')({
  loader: ({ context, params }) => context.queryClient.query({ ...libraryQuery(params.library), staleTime: 'static' }),
  component: LibrarySettingsScreen,
})
