import { deepEqual, equal, ok } from 'node:assert/strict'
import { openEmbedder } from './embedding.ts'

type Sent = { key: string | null; model: string; input: string[]; dimensions?: number }

/** Runs an endpoint that returns vectors of `dimensions` numbers in reverse order, and records the requests. */
async function withEndpoint(dimensions: number, use: (url: string, sent: Sent[]) => Promise<void>) {
  const sent: Sent[] = []
  const server = Deno.serve({ hostname: '127.0.0.1', port: 0, onListen: () => {} }, async (request) => {
    if (new URL(request.url).pathname !== '/v1/embeddings') return new Response('not here', { status: 404 })
    const body = await request.json()
    sent.push({ ...body, key: request.headers.get('authorization') })
    const vector = (text: string) =>
      Array.from({ length: body.dimensions ?? dimensions }, (_, at) => (at === 0 ? 3 : at === 1 ? text.length : 0))
    const data = body.input.map((text: string, index: number) => ({ index, embedding: vector(text) }))
    return Response.json({ data: data.reverse() })
  })
  try {
    await use(`http://127.0.0.1:${server.addr.port}/v1`, sent)
  } finally {
    await server.shutdown()
  }
}

const open = (settings: Record<string, string>) => openEmbedder((name) => settings[`${name}`], undefined)

Deno.test("the model's name includes the endpoint's number of dimensions", async () => {
  await withEndpoint(7, async (url, sent) => {
    const embedder = await open({
      EMBEDDING_API_URL: `${url}/`,
      EMBEDDING_API_KEY: 'secret',
      EMBEDDING_MODEL: 'polyglot',
    })
    equal(embedder?.model, 'polyglot (7)')
    ok(embedder?.unrelated && embedder.unrelated > 0.9 && embedder.unrelated < 1)
    deepEqual(await embedder.embed(['four', '']), [
      [0.6, 0.8, 0, 0, 0, 0, 0],
      [1, 0, 0, 0, 0, 0, 0],
    ])
    const { key, model, dimensions } = sent[1] ?? {}
    deepEqual({ key, model, dimensions }, { key: 'Bearer secret', model: 'polyglot', dimensions: undefined })
  })
})

Deno.test('the number of dimensions can be reduced', async () => {
  await withEndpoint(3072, async (url) => {
    const settings = { EMBEDDING_API_URL: url, EMBEDDING_MODEL: 'large' }
    equal(await open(settings), null)
    const embedder = await open({ ...settings, EMBEDDING_DIMENSIONS: '512' })
    equal(embedder?.model, 'large (512)')
    equal((await embedder?.embed(['a']))?.[0]?.length, 512)
  })
})

Deno.test('without a usable response there is no model', async () => {
  await withEndpoint(7, async (url) => {
    equal(await open({ EMBEDDING_API_URL: `${url}/elsewhere`, EMBEDDING_MODEL: 'polyglot' }), null)
    equal(await open({ EMBEDDING_API_URL: url }), null)
    equal(await open({ EMBEDDING_API_URL: url, EMBEDDING_MODEL: 'polyglot', EMBEDDING_DIMENSIONS: 'many' }), null)
  })
  equal(await open({}), null)
})

Deno.test("the platform's built-in model is used without an endpoint", async () => {
  class Session {
    run = async (text: string) => [text.length, 0]
  }
  const embedder = await openEmbedder(() => undefined, { ai: { Session } })
  equal(embedder?.model, 'gte-small')
  deepEqual(await embedder?.embed(['abc']), [[3, 0]])
})
