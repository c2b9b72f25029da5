import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startFunctionsServer } from '../testing/functions-server.ts'
import { serveTinyModel } from '../testing/tiny-model.ts'

const FILES = {
  'functions/embed/index.ts': `
    const session = new Supabase.ai.Session('gte-small')
    Deno.serve(async (req) => {
      try {
        return Response.json(await session.run(await req.json(), { mean_pool: true, normalize: true }))
      } catch (error) {
        return new Response(error.message, { status: 500 })
      }
    })`,
}
const unit = (...places: readonly number[]) =>
  Array.from({ length: 384 }, (_, index) => (places.includes(index) ? expect.closeTo(places.length ** -0.5, 5) : 0))

// The library and its native code are 400 MB of npm packages, downloaded once by Deno.
describe.runIf(process.env.UNDOCK_TEST_MODEL)('Supabase.ai.Session', () => {
  let cache: string
  beforeAll(async () => {
    cache = await mkdtemp(join(tmpdir(), 'undock-models-'))
  })
  afterAll(() => rm(cache, { recursive: true, force: true }))

  async function embed(host: string, text: unknown): Promise<[number, string]> {
    const env = { DENO_DIR: join(process.env.HOME ?? '', '.cache/deno'), ...process.env, HF_ENDPOINT: host }
    const server = await startFunctionsServer(FILES, { env: { ...env, XDG_CACHE_HOME: cache } })
    const response = await server.call('embed', { method: 'POST', body: JSON.stringify(text) })
    const answer: [number, string] = [response.status, await response.text()]
    await server.close()
    return answer
  }

  test('reports a failed model download, else caches the model and computes embeddings', async () => {
    const [status, reason] = await embed('http://127.0.0.1:9', 'lighthouse')
    expect(status).toBe(500)
    expect(reason).toMatch(/the model "gte-small" could not be loaded .*http:\/\/127\.0\.0\.1:9\/Supabase\/gte-small/s)
    const host = await serveTinyModel()
    const [, both] = await embed(host.url, 'Lighthouse keeper')
    expect(JSON.parse(both)).toEqual(unit(4, 5))
    expect(host.asked).toContain('/Supabase/gte-small/resolve/main/onnx/model_quantized.onnx')
    host.close()
    const [, kept] = await embed(host.url, ['recipe', 'keeper'])
    expect(JSON.parse(kept)).toEqual([unit(6), unit(5)])
  })
})
