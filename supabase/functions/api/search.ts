import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { Passage } from '../_shared/api/objects.ts'
import type { Hit } from '../_shared/hit.ts'
import { meaningOf } from '../_shared/search.ts'
import { DocumentFilters, filtersOf } from './document-filters.ts'
import { type Api, json, needs, READ_REFUSALS, read } from './operation.ts'

const search = createRoute({
  method: 'get',
  path: '/search',
  operationId: 'search',
  tags: ['Search'],
  summary: 'Find passages',
  description: 'Like the app: by words, corrected words and meaning, best first. There are no further pages.',
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
        searched: z.string().meta({ description: 'The query, with unknown words corrected.' }),
      }),
      'The passages.',
    ),
    ...READ_REFUSALS,
  },
})

export function addSearch(api: Api): void {
  api.openapi(search, async (c) => {
    const { q, limit, ...query } = c.req.valid('query')
    const [library] = await read(
      c,
      (sql) => sql<{ allows_models: boolean }[]>`select allows_models from public.libraries`,
    )
    const meaning = library?.allows_models ? await meaningOf(q) : null
    const rows = await read(
      c,
      (sql) => sql<{ passage: Hit }[]>`
      select passage from private.api_search(${q}, ${meaning?.query_embedding ?? null}, ${meaning?.model ?? null},
        ${JSON.stringify(filtersOf(query))}::text::jsonb, ${limit}) order by n`,
    )
    const data = rows.map(({ passage: { passage_id: id, mime_type: media_type, ...hit } }) =>
      Passage.parse({ id, media_type, ...hit }),
    )
    return c.json({ data, searched: rows[0]?.passage.searched ?? q }, 200)
  })
}
