import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { lenient } from '../../lib/lenient.ts'
import { InboxScreen } from '../../screens/inbox/inbox-screen.tsx'

export const Route = createFileRoute('/_signed-in/inbox')({
  validateSearch: z.object({ show: lenient(z.literal('all')) }),
  component: InboxScreen,
})
