import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { lenient } from '../../lib/lenient.ts'
import { CompareScreen } from '../../screens/compare/compare-screen.tsx'

export const Route = createFileRoute('/_signed-in/l/$library/compare')({
  validateSearch: z.object({ a: lenient(z.guid()), b: lenient(z.guid()) }),
  component: CompareScreen,
})
