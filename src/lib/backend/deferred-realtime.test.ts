import { createClient } from '@supabase/supabase-js'
import { expect, test } from 'vitest'
import { openRealtime, RealtimeClient } from './deferred-realtime.ts'

/** A client like in the built app. */
function signedInOnly() {
  const client = createClient('http://127.0.0.1:1', 'key', { auth: { persistSession: false, autoRefreshToken: false } })
  client.realtime = new RealtimeClient('ws://127.0.0.1:1/realtime/v1', {
    params: { apikey: 'key' },
    accessToken: async () => 'token',
  }) as unknown as typeof client.realtime
  return client
}

test('before the first library there are no channels to close', async () => {
  const client = signedInOnly()
  expect(client.getChannels()).toEqual([])
  expect(await client.removeAllChannels()).toEqual([])
  await client.realtime.setAuth()
})

test('the first library loads the real client, which receives the token', async () => {
  const client = signedInOnly()
  await Promise.all([openRealtime(client), openRealtime(client)])
  expect(client.realtime.accessTokenValue).toBe('token')
  expect(client.channel('library').topic).toBe('realtime:library')
})
