import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { lenient } from '../../lib/lenient.ts'
import { EverywhereScreen } from '../../screens/search/everywhere-screen.tsx'

export const Route = createFileRoute('/_signed-in/search')({
  validateSearch: z.object({ q: lenient(z.coerce.string()) }),
  component: EverywhereScreen,
})
