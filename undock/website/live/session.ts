import { createClient } from '@supabase/supabase-js'
import type { Backend, RawAnswer } from './backend.ts'
import type { Call, FromWorker } from './messages.ts'
import type { Caller } from './people.ts'

/** @property answer What the backend did for the last request; null where the code sent none. */
export type Outcome = { readonly result: unknown; readonly answer: RawAnswer | null }

export type LiveSession = Pick<Backend, 'setPolicies' | 'reset' | 'matrix'> & {
  /** Runs code with a real supabase-js whose requests the worker answers.
   *  @param code An expression, such as `supabase.from('notes').select()`. */
  run(code: string, caller: Caller): Promise<Outcome>
}

/** The URL of a local backend; nothing is sent there. */
const ADDRESS = 'http://127.0.0.1:54321'

/** Starts the backend in a worker.
 *  @param tell Gets the bytes that have arrived, and null from when they are there. */
export async function startLive(tell: (loaded: number | null) => void): Promise<LiveSession> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
  const pending = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  let loaded = 0
  let calls = 0

  const credentials = await new Promise<Backend['credentials']>((resolve, reject) => {
    worker.onerror = ({ message }) => reject(new Error(message))
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.kind === 'progress') {
        loaded += data.loaded
        tell(data.step === 'loading' ? loaded : null)
      } else if (data.kind === 'ready') resolve(data.credentials)
      else if (data.kind === 'failed') reject(new Error(data.message))
      else {
        const waiting = pending.get(data.id)
        pending.delete(data.id)
        if (data.kind === 'answer') waiting?.resolve(data.value as never)
        else waiting?.reject(new Error(data.message))
      }
    }
  })

  const call = <T>(name: Call['name'], ...given: unknown[]): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      calls += 1
      pending.set(calls, { resolve, reject })
      worker.postMessage({ id: calls, name, given } satisfies Call)
    })

  return {
    setPolicies: (script) => call('setPolicies', script),
    reset: (policies) => call('reset', policies),
    matrix: () => call('matrix'),
    async run(code, caller) {
      let answer: RawAnswer | null = null
      const { key, token } = credentials[caller]
      const supabase = createClient(ADDRESS, key, {
        accessToken: async () => token,
        global: {
          async fetch(input, init) {
            const request = new Request(input, init)
            const body = request.method === 'GET' || request.method === 'HEAD' ? null : await request.text()
            const { method, url, headers } = request
            const found = await call<RawAnswer>('answer', { method, url, headers: [...headers], body })
            answer = found
            return new Response(found.body, { status: found.status, headers: found.headers })
          },
        },
      })
      const work = new Function('supabase', `return (async () => (${code}\n))()`)
      return { result: await work(supabase), answer }
    },
  }
}
