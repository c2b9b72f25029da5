/** Computes vectors of 384 numbers and length 1 from texts. */
export type Embedder = { readonly model: string; embed(texts: readonly string[]): Promise<number[][]> }

type AiSession = { run(text: string, options: { mean_pool: boolean; normalize: boolean }): Promise<number[]> }
type Platform = { ai?: { Session: new (model: string) => AiSession } }

/** The platform's built-in model, or null if there is none; the database then computes its lexical vectors instead.
 *  A model is considered available once it has answered: its weights may be downloaded only at the first call. */
export async function openEmbedder(platform: Platform | undefined = platformOf(globalThis)): Promise<Embedder | null> {
  if (!platform?.ai) return null
  try {
    const session = new platform.ai.Session('gte-small')
    const vectorOf = async (text: string) => {
      const vector = Array.from(await session.run(text, { mean_pool: true, normalize: true }))
      if (vector.length !== 384) throw new Error(`gte-small answered with ${vector.length} numbers instead of 384.`)
      return vector
    }
    await vectorOf('A question to see whether the model is there.')
    return {
      model: 'gte-small',
      async embed(texts) {
        const vectors: number[][] = []
        // One text after another: the model runs on one thread, and parallel calls would only queue up in memory.
        for (const text of texts) vectors.push(await vectorOf(text))
        return vectors
      },
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : error
    console.warn(`No language model here, words and word parts stand in for it: ${reason}`)
    return null
  }
}

let shared: ReturnType<typeof openEmbedder> | null = null

/** The embedder of this worker. It is created at the first call and kept, because loading a model, or detecting that it
 *  cannot be downloaded, takes longer than using it. */
export function sharedEmbedder(): Promise<Embedder | null> {
  shared ??= openEmbedder()
  return shared
}

function platformOf(scope: object): Platform | undefined {
  return 'Supabase' in scope ? (scope.Supabase as Platform) : undefined
}
