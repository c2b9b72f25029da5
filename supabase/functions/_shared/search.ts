import type { Client } from './clients.ts'
import type { Database } from './database.ts'
import { type Embedder, sharedEmbedder } from './embedding.ts'
import { refusalFrom } from './errors.ts'
import type { Hit } from './hit.ts'

type Meaning = { query_embedding: string; model: string }

/** Milliseconds that a search waits for the model before it uses words only. */
const MODEL_DEADLINE_MS = 3_000

/** Returns the query's embedding; null if there is no model, or it fails or times out. Search then matches words only. */
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

/** Like meaningOf, for a library. Sends nothing to a model if the library forbids it or the caller can't see it. */
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

/** Returns the passages that the caller may see, best first.
 *  @throws {Refusal} if the caller isn't signed in or a filter is invalid. */
export async function findPassages(caller: Client, search: Search, meaning: Meaning | null): Promise<Hit[]> {
  const { data, error } = await caller
    .rpc('search_passages', { ...search, ...meaning })
    .overrideTypes<Hit[], { merge: false }>()
  if (error) throw refusalFrom(error) ?? error
  return data
}
