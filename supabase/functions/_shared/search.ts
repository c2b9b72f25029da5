import type { Client } from './clients.ts'
import type { Database } from './database.ts'
import { type Embedder, sharedEmbedder } from './embedding.ts'
import { refusalFrom } from './errors.ts'
import type { Hit } from './hit.ts'

/** What words mean, as a vector of a model. */
type Meaning = { query_embedding: string; model: string }

/** Milliseconds that a search waits for the model before it goes by words alone. */
const MODEL_DEADLINE_MS = 3_000

/** What the words mean; null when the platform has no model, or it fails or takes too long: then a search goes by words alone. */
export async function meaningOf(
  words: string,
  openEmbedder: () => Promise<Embedder | null> = sharedEmbedder,
  deadline: AbortSignal = AbortSignal.timeout(MODEL_DEADLINE_MS),
): Promise<Meaning | null> {
  const late = new Promise<never>((_, reject) => deadline.addEventListener('abort', () => reject(deadline.reason)))
  try {
    return await Promise.race([late, embed(words, openEmbedder)])
  } catch (error) {
    console.warn('The search goes by words alone:', error instanceof Error ? error.message : error)
    return null
  }
}

/** The same for a search of a library. Nothing is sent to a model where the library allows none, or the caller does not see it. */
export async function meaningIn(library: string, words: string, caller: Client): Promise<Meaning | null> {
  const { data } = await caller.from('libraries').select('allows_models').eq('id', library).maybeSingle()
  return data?.allows_models ? await meaningOf(words) : null
}

async function embed(words: string, openEmbedder: () => Promise<Embedder | null>): Promise<Meaning | null> {
  const embedder = await openEmbedder()
  const [vector] = embedder ? await embedder.embed([words]) : []
  return embedder && vector ? { model: embedder.model, query_embedding: JSON.stringify(vector) } : null
}

type Search = Omit<Database['public']['Functions']['search_passages']['Args'], keyof Meaning>

/** The passages of a library that the caller may see, the best first.
 *  @throws {Refusal} for a caller who is not signed in, and for filters in another form. */
export async function findPassages(caller: Client, search: Search, meaning: Meaning | null): Promise<Hit[]> {
  const { data, error } = await caller
    .rpc('search_passages', { ...search, ...meaning })
    .overrideTypes<Hit[], { merge: false }>()
  if (error) throw refusalFrom(error) ?? error
  return data
}
