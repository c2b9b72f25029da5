import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { MAX_ASKED_DOCUMENTS } from '../../features/ask/limits.ts'
import { lenient } from '../../lib/lenient.ts'
import { AskScreen } from '../../screens/ask/ask-screen.tsx'

export const Route = createFileRoute('/_signed-in/l/$library/ask')({
  validateSearch: z.object({
    conversation: lenient(z.guid()),
    /** The documents to ask; omitted for the whole library. */
    documents: lenient(z.array(z.guid()).check(z.minLength(1), z.maxLength(MAX_ASKED_DOCUMENTS))),
  }),
  component: AskScreen,
})
