import type { RealtimeClientOptions } from '@supabase/realtime-js'
import type { SupabaseClient } from '@supabase/supabase-js'

/** Build-time stand-in for the Realtime client (see vite.config.ts), which the sign-in page doesn't need. */
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

/** Loads the Realtime client; call it before the first channel. In development and tests it's already there. */
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
