import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { preloadView } from '../../features/reader/preload.ts'
import { documentQuery } from '../../features/reader/queries.ts'
import { lenient } from '../../lib/lenient.ts'
import { DocumentScreen } from '../../screens/document/document-screen.tsx'

const Params = z.object({ document: z.guid() })

export const Route = createFileRoute('/_signed-in/l/$library/d/$document')({
  params: { parse: ({ document }) => Params.parse({ document }) },
  validateSearch: z.object({
    passage: lenient(z.guid()),
    /** The passage's words, which find it if its id has changed. */
    quote: lenient(z.coerce.string()),
    comment: lenient(z.guid()),
    /** Where to start, in a document with pages. */
    page: lenient(z.coerce.number().check(z.int(), z.positive())),
    q: lenient(z.coerce.string()),
    follow: lenient(z.guid()),
    edit: lenient(z.boolean()),
    /** The number of an approved version, whose changes are shown. */
    change: lenient(z.coerce.number().check(z.int(), z.positive())),
  }),
  loader: async ({ context: { queryClient }, params, cause }) => {
    const document = await queryClient.query({
      ...documentQuery(params.library, params.document),
      staleTime: 'static',
    })
    preloadView(queryClient, document, cause !== 'preload')
  },
  // Remounts the reader for another document, so that no state remains.
  remountDeps: ({ params }) => params,
  component: DocumentScreen,
})
