import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { DocumentFilter } from '../../domain/document-filter.ts'
import { lenient } from '../../lib/lenient.ts'
import { SearchScreen } from '../../screens/search/search-screen.tsx'

export const Route = createFileRoute('/_signed-in/l/$library/search')({
  validateSearch: z.extend(DocumentFilter, { q: lenient(z.coerce.string()) }),
  component: SearchScreen,
})
