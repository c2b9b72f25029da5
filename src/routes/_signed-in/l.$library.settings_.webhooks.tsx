import { createFileRoute } from '@tanstack/react-router'
import { webhooksQuery } from '../../features/webhooks/queries.ts'
import { WebhooksScreen } from '../../screens/library/webhooks-screen.tsx'

export const Route = createFileRoute('/_signed-in/l/$library/settings_/webhooks')({
  loader: ({ context, params }) => context.queryClient.query({ ...webhooksQuery(params.library), staleTime: 'static' }),
  component: WebhooksScreen,
})
