import { deepEqual, equal } from 'node:assert/strict'
import type { Embedder } from './embedding.ts'
import { meaningOf } from './search.ts'

const embedder = (embed: Embedder['embed']) => async () => ({ model: 'a model', unrelated: null, embed })

Deno.test('what words mean is a vector of the model that is there', async () => {
  const meaning = await meaningOf(
    'far away',
    embedder(async ([words = '']) => [[words.length, 0]]),
  )
  deepEqual(meaning, { model: 'a model', query_embedding: '[8,0]' })
})

Deno.test('words mean nothing where no model is, or where it fails or takes too long', async () => {
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
