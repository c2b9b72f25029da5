import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { librariesQuery } from '../../features/libraries/queries.ts'
import { sharedInQuery } from '../../features/uploads/shared-in.ts'
import { lenient } from '../../lib/lenient.ts'
import { ShareScreen } from '../../screens/share/share-screen.tsx'

/** Target of the system's share menu and of links: `/share?url=…&title=…&text=…`. */
export const Route = createFileRoute('/_signed-in/share')({
  validateSearch: z.object({
    title: lenient(z.string()),
    text: lenient(z.string()),
    url: lenient(z.string()),
    quote: lenient(z.string()),
  }),
  loader: async ({ context: { queryClient, session } }) => {
    const state = session.get()
    if (state.status === 'signed-in') {
      await Promise.all([
        queryClient.query({ ...librariesQuery(state.session.user.id), staleTime: 'static' }),
        queryClient.query(sharedInQuery),
      ])
    }
  },
  component: ShareScreen,
})
