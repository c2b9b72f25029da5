import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { lenient } from '../../lib/lenient.ts'
import { AskScreen } from '../../screens/ask/ask-screen.tsx'

export const Route = createFileRoute('/_signed-in/l/$library/ask')({
  validateSearch: z.object({ conversation: lenient(z.guid()) }),
  component: AskScreen,
})
