import { z } from 'zod'

/** Computes unit vectors from texts. */
export type Embedder = {
  /** Vectors are stored under this name; only vectors with the same name are compared. */
  readonly model: string
  /** The cosine of two texts about different things; null for the model whose bounds the database knows. */
  readonly unrelated: number | null
  embed(texts: readonly string[]): Promise<number[][]>
}

type AiSession = { run(text: string, options: { mean_pool: boolean; normalize: boolean }): Promise<number[]> }
type Platform = { ai?: { Session: new (model: string) => AiSession } }
type Environment = (name: string) => string | undefined

const TIMEOUT = 30_000
/** The limit of the column `passages.embedding`. */
const MAX_DIMENSIONS = 1536

/** Texts that are as different as possible, in several languages. */
const UNRELATED = [
  'The invoice is due within thirty days of delivery.',
  'Ein Leuchtturm hat eine Linse aus Glasprismen.',
  'Le pain lève pendant une nuit à température ambiante.',
  'El perro persigue una pelota en el parque.',
  'Kidneys remove waste from the blood.',
  '船は台風のため港に戻った。',
]

/** Opens the model named by the environment, or else the platform's built-in one. Returns null if it doesn't respond;
 *  the database then computes its lexical vectors instead. A model counts as available only after it has responded: its
 *  weights may be downloaded on the first call. */
export async function openEmbedder(
  environment: Environment = (name) => Deno.env.get(name),
  platform: Platform | undefined = platformOf(globalThis),
): Promise<Embedder | null> {
  try {
    const url = environment('EMBEDDING_API_URL')
    if (url) return await openEndpoint(url.replace(/\/+$/, ''), environment)
    return platform?.ai ? await openBuiltIn(new platform.ai.Session('gte-small')) : null
  } catch (error) {
    const reason = error instanceof Error ? error.message : error
    console.warn(`No language model here, words and word parts stand in for it: ${reason}`)
    return null
  }
}

async function openBuiltIn(session: AiSession): Promise<Embedder> {
  const vectorOf = async (text: string) => Array.from(await session.run(text, { mean_pool: true, normalize: true }))
  await vectorOf('A question to see whether the model is there.')
  return {
    model: 'gte-small',
    unrelated: null,
    async embed(texts) {
      const vectors: number[][] = []
      // One text at a time: the model is single-threaded, and parallel calls would only queue up in memory.
      for (const text of texts) vectors.push(await vectorOf(text))
      return vectors
    },
  }
}

const Answer = z.object({ data: z.array(z.object({ index: z.number(), embedding: z.array(z.number()) })) })
const Settings = z.object({
  model: z.string({ error: 'EMBEDDING_MODEL is not set.' }).min(1).max(60),
  dimensions: z.coerce
    .number({ error: 'EMBEDDING_DIMENSIONS is not a number.' })
    .int()
    .min(1)
    .max(MAX_DIMENSIONS)
    .optional(),
})

/** Opens a model at an OpenAI-compatible endpoint (`/embeddings`).
 *  @throws {Error} if it doesn't respond or returns more dimensions than the database stores. */
async function openEndpoint(url: string, environment: Environment): Promise<Embedder> {
  const { model, dimensions } = Settings.parse({
    model: environment('EMBEDDING_MODEL') || undefined,
    dimensions: environment('EMBEDDING_DIMENSIONS') || undefined,
  })
  const key = environment('EMBEDDING_API_KEY')
  const request = async (texts: readonly string[]): Promise<number[][]> => {
    const response = await fetch(`${url}/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
      signal: AbortSignal.timeout(TIMEOUT),
      body: JSON.stringify({ model, input: texts, encoding_format: 'float', dimensions }),
    })
    if (!response.ok) throw new Error(`${url} answered ${response.status}: ${(await response.text()).slice(0, 500)}`)
    const { data } = Answer.parse(await response.json())
    const vectors = data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => unit(embedding))
    if (vectors.length !== texts.length)
      throw new Error(`${url} sent ${vectors.length} vectors for ${texts.length} texts.`)
    return vectors
  }
  const probes = await request(UNRELATED)
  const length = probes[0]?.length ?? 0
  if (length > MAX_DIMENSIONS || length !== (dimensions ?? length))
    throw new Error(
      `${model} sends vectors of ${length} numbers. At most ${MAX_DIMENSIONS} can be stored, or as many as EMBEDDING_DIMENSIONS asks for.`,
    )
  return {
    model: `${model} (${length})`,
    unrelated: meanCosine(probes),
    async embed(texts) {
      try {
        const vectors = await request(texts)
        if (vectors.some((vector) => vector.length !== length))
          throw new Error(`${url} changed the length of its vectors.`)
        return vectors
      } catch (error) {
        shared = null
        throw error
      }
    },
  }
}

function unit(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector)
  return vector.map((number) => (length > 0 ? number / length : 0))
}

function meanCosine(vectors: readonly (readonly number[])[]): number {
  const pairs = vectors.flatMap((one, index) => vectors.slice(index + 1).map((other) => [one, other] as const))
  const cosine = (one: readonly number[], other: readonly number[]) =>
    one.reduce((sum, number, index) => sum + number * (other[index] ?? 0), 0)
  return Math.min(pairs.reduce((sum, [one, other]) => sum + cosine(one, other), 0) / pairs.length, 0.99)
}

let shared: ReturnType<typeof openEmbedder> | null = null

/** Returns this worker's embedder. It's created once, because loading a model, or finding out that it can't be
 *  downloaded, takes longer than using it. A failed endpoint is retried on the next call. */
export function sharedEmbedder(): Promise<Embedder | null> {
  shared ??= openEmbedder().then((embedder) => {
    if (embedder === null && Deno.env.get('EMBEDDING_API_URL')) shared = null
    return embedder
  })
  return shared
}

function platformOf(scope: object): Platform | undefined {
  return 'Supabase' in scope ? (scope.Supabase as Platform) : undefined
}
