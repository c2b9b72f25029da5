import { deepEqual, equal } from 'node:assert/strict'
import type { Embedder } from './embedding.ts'
import { meaningOf } from './search.ts'

const embedder = (embed: Embedder['embed']) => async () => ({ model: 'a model', unrelated: null, embed })

Deno.test('the query is embedded with the current model', async () => {
  const meaning = await meaningOf(
    'far away',
    embedder(async ([words = '']) => [[words.length, 0]]),
  )
  deepEqual(meaning, { model: 'a model', query_embedding: '[8,0]' })
})

Deno.test('the query has no embedding without a model, on failure, or after a timeout', async () => {
  equal(await meaningOf('far away', async () => null), null)
  equal(await meaningOf('far away', () => Promise.reject(new Error('no model'))), null)
  equal(
    await meaningOf(
      'far away',
      embedder(() => Promise.reject(new Error('out of memory'))),
    ),
    null,
  )
  const never = embedder(() => new Promise(() => {}))
  const deadline = new AbortController()
  const late = meaningOf('far away', never, deadline.signal)
  deadline.abort()
  equal(await late, null)
})
