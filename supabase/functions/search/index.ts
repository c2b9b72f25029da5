import { z } from 'zod'
import { callerClient } from '../_shared/clients.ts'
import type { SearchAnswer } from '../_shared/hit.ts'
import { inputOf, jsonAction } from '../_shared/http.ts'
import { findPassages, meaningIn } from '../_shared/search.ts'

/** The parameters of the SQL function search_passages, without the vector. */
const Search = z.object({
  library: z.guid(),
  query: z.string().trim().min(1).max(1000),
  filters: z.record(z.string(), z.json()).optional(),
  max_results: z.number().int().optional(),
  correct: z.boolean().optional(),
})

Deno.serve(
  jsonAction(async (body, request) => {
    const search = inputOf(Search, body, 'Send { "library": "<uuid>", "query": "…" } with 1 to 1,000 characters.')
    const caller = callerClient(request)
    const meaning = await meaningIn(search.library, search.query, caller)
    const hits = await findPassages(caller, search, meaning)
    return { hits, by_meaning: meaning !== null } satisfies SearchAnswer
  }),
)
