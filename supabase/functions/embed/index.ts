import { z } from 'zod'
import { sharedEmbedder } from '../_shared/embedding.ts'
import { refusal } from '../_shared/errors.ts'
import { jsonAction } from '../_shared/http.ts'

/** The number of characters of a question that search_passages uses. */
const Body = z.object({ text: z.string().trim().min(1).max(1000) })

Deno.serve(
  jsonAction(async (body) => {
    const wish = Body.safeParse(body)
    if (!wish.success) throw refusal('request_invalid', { usage: 'Send { "text": "…" } with 1 to 1,000 characters.' })
    const embedder = await sharedEmbedder()
    // There is no model on this platform: without a vector, the database computes the lexical vector itself.
    if (!embedder) return { model: 'lexical-384-v1', embedding: null }
    const [embedding] = await embedder.embed([wish.data.text])
    return { model: embedder.model, embedding }
  }),
)
