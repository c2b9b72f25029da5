import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { SearchFilter } from '../../domain/document-filter.ts'
import { lenient } from '../../lib/lenient.ts'
import { SearchScreen } from '../../screens/search/search-screen.tsx'

export const Route = createFileRoute('/_signed-in/l/$library/search')({
  validateSearch: z.extend(SearchFilter, {
    q: lenient(z.coerce.string()),
    /** Disables corrections. */
    exact: lenient(z.boolean()),
    /** Documents with all passages shown. */
    more: lenient(z.array(z.guid()).check(z.maxLength(20))),
  }),
  component: SearchScreen,
})
