import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { Passage } from '../_shared/api/objects.ts'
import { sharedEmbedder } from '../_shared/embedding.ts'
import { DocumentFilters, filtersOf } from './document-filters.ts'
import { type Api, json, needs, READ_REFUSALS, read } from './operation.ts'

const search = createRoute({
  method: 'get',
  path: '/search',
  operationId: 'search',
  tags: ['Search'],
  summary: 'Find passages',
  description:
    'As the app finds them: by words, by typing errors of words, and by meaning. The best come first; there are no further pages.',
  ...needs('search'),
  request: {
    query: z.strictObject({
      q: z.string().trim().min(1).max(1000).meta({
        description: 'Words. Also `"a phrase"`, `"one" or "another"` and `-not`.',
        example: 'lighthouse "first lit"',
      }),
      limit: z.coerce.number().int().min(1).max(50).default(20),
      ...DocumentFilters,
    }),
  },
  responses: {
    200: json(
      z.object({
        data: z.array(Passage),
        searched: z.string().meta({ description: 'The query, with words corrected that the library does not have.' }),
      }),
      'The passages.',
    ),
    ...READ_REFUSALS,
  },
})

const Hit = z.object({
  passage_id: z.string(),
  document_id: z.string(),
  title: z.string(),
  kind: z.string(),
  mime_type: z.string().nullable(),
  page: z.number().nullable(),
  heading: z.string().nullable(),
  content: z.string(),
  highlights: z.array(z.array(z.number())),
  related: z.boolean(),
  more_in_document: z.number(),
  searched: z.string(),
})

export function addSearch(api: Api): void {
  api.openapi(search, async (c) => {
    const { q, limit, ...query } = c.req.valid('query')
    const embedder = await sharedEmbedder()
    const [vector] = embedder ? await embedder.embed([q]) : []
    const rows = await read(
      c,
      (sql) => sql`
      select passage from private.api_search(${q}, ${vector ? JSON.stringify(vector) : null}, ${embedder?.model ?? null},
        ${JSON.stringify(filtersOf(query))}::text::jsonb, ${limit}) order by n`,
    )
    const hits = rows.map(({ passage }) => Hit.parse(passage))
    const data = hits.map(({ passage_id: id, mime_type: media_type, searched: _, ...hit }) =>
      Passage.parse({ id, media_type, ...hit }),
    )
    return c.json({ data, searched: hits[0]?.searched ?? q }, 200)
  })
}
