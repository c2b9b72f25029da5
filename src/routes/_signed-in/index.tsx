import { createFileRoute } from '@tanstack/react-router'
import { librariesQuery } from '../../features/libraries/queries.ts'
import { LibrariesScreen } from '../../screens/libraries/libraries-screen.tsx'

export const Route = createFileRoute('/_signed-in/')({
  loader: async ({ context: { queryClient, session } }) => {
    const state = session.get()
    if (state.status === 'signed-in') {
      await queryClient.query({ ...librariesQuery(state.session.user.id), staleTime: 'static' })
    }
  },
  component: LibrariesScreen,
})
