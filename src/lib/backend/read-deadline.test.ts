import { createClient } from '@supabase/supabase-js'
import { afterEach, expect, test, vi } from 'vitest'
import { isTimeout } from '../../domain/failure.ts'
import { fetchWithReadDeadline } from './read-deadline.ts'

vi.mock('./supabase.ts', () => ({ supabase: null }))

const client = createClient('http://127.0.0.1:9', 'key', {
  db: { retry: false },
  global: { fetch: fetchWithReadDeadline },
})
afterEach(() => void vi.restoreAllMocks())

/** A server that never responds. */
function answerNever(): void {
  vi.spyOn(globalThis, 'fetch').mockImplementation(
    (_, init) =>
      new Promise((_, reject) => {
        const { signal } = init ?? {}
        if (signal?.aborted) reject(signal.reason)
        signal?.addEventListener('abort', () => reject(signal.reason))
      }),
  )
}

test('unanswered reads time out, writes keep waiting', async () => {
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort(new DOMException('signal timed out')))
  answerNever()
  for (const read of [client.from('documents').select(), client.rpc('library_insights')]) {
    const { error } = await read
    expect(isTimeout(error)).toBe(true)
  }
  vi.mocked(AbortSignal.timeout).mockClear()
  void client.from('documents').insert({ title: 'A' }).then()
  void client.storage.from('files').list()
  await vi.waitFor(() => expect(fetch).toHaveBeenCalledTimes(4))
  expect(AbortSignal.timeout).not.toHaveBeenCalled()
})

test('a caller can still abort a read', async () => {
  answerNever()
  const { error } = await client.from('documents').select().abortSignal(AbortSignal.abort())
  expect(isTimeout(error)).toBe(false)
  expect(error?.message).toContain('AbortError')
})
