import { createFileRoute } from '@tanstack/react-router'
import { FailureView } from '../components/failure-view.tsx'
import { sharedQuery } from '../features/sharing/queries.ts'
import { SharedDocumentScreen } from '../screens/shared-document/shared-document-screen.tsx'
import { SharedFrame } from '../screens/shared-document/shared-frame.tsx'

/** A shared document, read-only, for anyone with its link. */
export const Route = createFileRoute('/s/$token')({
  loader: ({ context, params }) => context.queryClient.query({ ...sharedQuery(params.token), staleTime: 'static' }),
  component: SharedDocumentScreen,
  errorComponent: ({ error }) => (
    <SharedFrame>
      <FailureView error={error} isPublic />
    </SharedFrame>
  ),
})
