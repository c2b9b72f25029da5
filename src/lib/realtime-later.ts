import type { RealtimeClientOptions } from '@supabase/realtime-js'
import type { SupabaseClient } from '@supabase/supabase-js'

/** What the client is built with in place of its Realtime part (see vite.config.ts): who only signs in need not load that.
 *  It knows how the real one is made, with the session's token. */
export class RealtimeClient {
  readonly #make: readonly [url: string, options: RealtimeClientOptions]

  constructor(url: string, options: RealtimeClientOptions) {
    this.#make = [url, options]
  }

  async setAuth(): Promise<void> {}

  getChannels(): [] {
    return []
  }

  async removeAllChannels(): Promise<[]> {
    return []
  }

  async load() {
    const { RealtimeClient } = await import('@supabase/realtime-js')
    const real = new RealtimeClient(...this.#make)
    await real.setAuth() // or else the first channel would join as nobody
    return real
  }
}

let opened: Promise<void> | undefined

/** Before the first channel: loads what the client was built without. Development and tests have the real one at once. */
export function openRealtime(client: Pick<SupabaseClient, 'realtime'>): Promise<void> {
  const later: unknown = client.realtime
  if (!(later instanceof RealtimeClient)) return Promise.resolve()
  opened ??= later.load().then(
    (real) => {
      client.realtime = real
    },
    (failure) => {
      opened = undefined // the next library tries again
      throw failure
    },
  )
  return opened
}
