import { createFileRoute } from '@tanstack/react-router'
import { FailureView } from '../components/failure-view.tsx'
import { openRequestQuery } from '../features/file-requests/queries.ts'
import { FileRequestScreen } from '../screens/file-request/file-request-screen.tsx'
import { SharedFrame } from '../screens/shared-document/shared-frame.tsx'

/** A file request, for anyone with its link. */
export const Route = createFileRoute('/r/$token')({
  loader: ({ context, params }) => context.queryClient.query({ ...openRequestQuery(params.token), staleTime: 0 }),
  component: FileRequestScreen,
  errorComponent: ({ error }) => (
    <SharedFrame>
      <FailureView error={error} isPublic />
    </SharedFrame>
  ),
})
