/** Turns texts into vectors of 384 numbers, length 1. */
export type Embedder = { readonly model: string; embed(texts: readonly string[]): Promise<number[][]> }

type AiSession = { run(text: string, options: { mean_pool: boolean; normalize: boolean }): Promise<number[]> }
type Platform = { ai?: { Session: new (model: string) => AiSession } }

/** The platform's built-in model, or null where there is none; the database then makes its lexical vectors instead.
 *  A model counts as there once it has answered: its weights may be fetched only at the first call. */
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
        // One after the other: the model runs on one thread and parallel calls only queue up in memory.
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

/** The embedder of this worker: opened at the first call and kept, because loading a model, or finding out that it cannot be
 *  fetched, takes longer than using it. */
export function sharedEmbedder(): Promise<Embedder | null> {
  shared ??= openEmbedder()
  return shared
}

function platformOf(scope: object): Platform | undefined {
  return 'Supabase' in scope ? (scope.Supabase as Platform) : undefined
}
