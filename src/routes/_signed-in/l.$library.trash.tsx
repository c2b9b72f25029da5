import { createFileRoute } from '@tanstack/react-router'
import { trashQuery } from '../../features/documents/queries.ts'
import { TrashScreen } from '../../screens/library/trash-screen.tsx'

export const Route = createFileRoute('/_signed-in/l/$library/trash')({
  loader: ({ context, params }) => context.queryClient.query({ ...trashQuery(params.library), staleTime: 'static' }),
  component: TrashScreen,
})
