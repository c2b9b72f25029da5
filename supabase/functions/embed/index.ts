import { z } from 'zod'
import { sharedEmbedder } from '../_shared/embedding.ts'
import { jsonAction, Refusal } from '../_shared/http.ts'

/** As much of a question as search_passages looks at. */
const Body = z.object({ text: z.string().trim().min(1).max(1000) })

Deno.serve(
  jsonAction(async (body) => {
    const wish = Body.safeParse(body)
    if (!wish.success) throw new Refusal(400, 'Send { "text": "…" } with 1 to 1,000 characters.')
    const embedder = await sharedEmbedder()
    // No model on this platform: the database makes the lexical vector itself when it is given none.
    if (!embedder) return { model: 'lexical-384-v1', embedding: null }
    const [embedding] = await embedder.embed([wish.data.text])
    return { model: embedder.model, embedding }
  }),
)
