// Attacks on Carrel's channels by removed members and readers with a custom client.
import { fileURLToPath } from 'node:url'
import { createClient, type RealtimeChannel, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import { type Stack, startStack } from '../../undock/src/runtime/stack/stack.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PUBLISHABLE = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'
const SECRET = 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'
const PASSWORD = 'four unrelated lamps'
const PEOPLE = ['owner', 'editor', 'reader', 'helper'] as const

type Client = SupabaseClient<Database>
type Heard = { event: string; payload: Record<string, unknown> }

describe('with a running backend', () => {
  let stack: Stack
  let service: Client
  let library: string
  let note: string
  let collection: string
  const ids: Record<string, string> = {}
  const people: Record<string, Client> = {}
  const person = (name: (typeof PEOPLE)[number]) => people[name] as Client

  beforeAll(async () => {
    stack = await startStack({ workdir: ROOT, ports: 'free', state: 'memory' })
    const open = (key: string): Client =>
      createClient<Database>(stack.url, key, { auth: { persistSession: false, autoRefreshToken: false } })
    service = open(SECRET)
    for (const name of PEOPLE) {
      const email = `${name}@channels.example`
      const { data } = await service.auth.admin.createUser({ email, password: PASSWORD, email_confirm: true })
      ids[name] = data.user?.id ?? ''
      const client = open(PUBLISHABLE)
      await client.auth.signInWithPassword({ email, password: PASSWORD })
      await client.realtime.setAuth()
      people[name] = client
    }
  })
  afterAll(() => stack?.stop())

  /** A library with an owner, an editor, a reader, and a guest who edits one collection. */
  async function addLibrary(): Promise<void> {
    const owner = person('owner')
    library = (await owner.rpc('create_library', { name: 'Lab' }).throwOnError()).data.id
    const roles = { editor: 'editor', reader: 'reader', helper: 'guest' } as const
    await service
      .from('members')
      .insert(Object.entries(roles).map(([name, role]) => ({ library_id: library, user_id: ids[name] ?? '', role })))
      .throwOnError()
    const { data } = await owner
      .from('collections')
      .insert({ library_id: library, name: 'Open' })
      .select('id')
      .single()
      .throwOnError()
    collection = data.id
    await owner
      .from('collection_grants')
      .insert({ library_id: library, collection_id: collection, user_id: ids.helper ?? '', role: 'editor' })
      .throwOnError()
    note = (await owner.rpc('add_note', { library, title: 'Plan', body: 'Words', collection }).throwOnError()).data.id
  }

  const epoch = async () =>
    (await person('owner').from('library_channels').select('epoch').eq('library_id', library).single().throwOnError())
      .data.epoch

  async function join(client: Client, topic: string) {
    const heard: Heard[] = []
    const channel = client.channel(topic, { config: { private: true } })
    channel.on('broadcast', { event: '*' }, ({ event, payload }) => heard.push({ event, payload }))
    const status = await new Promise<string>((resolve) => channel.subscribe((said) => resolve(said)))
    return { channel, heard, status }
  }
  const leave = (client: Client, ...channels: RealtimeChannel[]) =>
    Promise.all(channels.map((channel) => client.removeChannel(channel)))

  /** Sends something that the other members receive after everything sent before. */
  const changeState = (state: 'failed' | 'queued') =>
    service.from('documents').update({ state }).eq('id', note).throwOnError()

  test('a reader cannot forge database events, by socket or by HTTP', async () => {
    await addLibrary()
    const topic = `library:${library}:${await epoch()}`
    const owner = await join(person('owner'), topic)
    const reader = await join(person('reader'), topic)
    expect([owner.status, reader.status]).toEqual(['SUBSCRIBED', 'SUBSCRIBED'])
    const forged = { document_id: note, state: 'ready', progress: 100, message: 'forged', page_count: 1 }
    for (const event of ['ingest', 'members', 'anything']) {
      await reader.channel.send({ type: 'broadcast', event, payload: forged })
      await reader.channel.httpSend(event, forged).catch(() => {})
    }
    const { data } = await person('reader').auth.getSession()
    const request = (isPrivate: boolean) =>
      fetch(`${stack.url}/realtime/v1/api/broadcast`, {
        method: 'POST',
        headers: {
          apikey: PUBLISHABLE,
          authorization: `Bearer ${data.session?.access_token}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ messages: [{ topic, event: 'ingest', payload: forged, private: isPrivate }] }),
      })
    await request(true)
    await request(false)
    await changeState('failed')
    await expect.poll(() => owner.heard.length).toBeGreaterThan(0)
    expect(owner.heard).toEqual([{ event: 'ingest', payload: expect.objectContaining({ state: 'failed' }) }])
    await leave(person('owner'), owner.channel)
    await leave(person('reader'), reader.channel)
  })

  test("a reader receives a note's changes, cannot send any, and is excluded if approval is required", async () => {
    await addLibrary()
    const topic = `note:${note}:${await epoch()}`
    const writer = await join(person('helper'), topic)
    const reader = await join(person('reader'), topic)
    expect([writer.status, reader.status]).toEqual(['SUBSCRIBED', 'SUBSCRIBED'])
    await reader.channel.send({ type: 'broadcast', event: 'writing', payload: { forged: true } })
    await reader.channel.httpSend('writing', { forged: true }).catch(() => {})
    const { error } = await person('reader').rpc('add_note_update', { note, generation: note, update: 'AAA=' })
    expect(error?.code).toBe('42501')
    await writer.channel.send({ type: 'broadcast', event: 'writing', payload: { text: 'draft' } })
    await expect.poll(() => reader.heard.map(({ event }) => event)).toEqual(['writing'])
    expect(writer.heard).toEqual([])
    await leave(person('helper'), writer.channel)
    await leave(person('reader'), reader.channel)

    await person('owner')
      .from('collection_approvals')
      .insert({ library_id: library, collection_id: collection })
      .throwOnError()
    const next = `note:${note}:${await epoch()}`
    for (const [name, topics] of [['reader', [topic, next]] as const, ['helper', [topic]] as const]) {
      for (const ended of topics) {
        const refused = await join(person(name), ended)
        expect(refused.status, `${name} ${ended}`).toBe('CHANNEL_ERROR')
        await leave(person(name), refused.channel)
      }
    }
  })

  test("users can neither join nor write to another user's channel", async () => {
    const own = await join(person('owner'), `user:${ids.owner}`)
    const foreign = await join(person('editor'), `user:${ids.owner}`)
    expect([own.status, foreign.status]).toEqual(['SUBSCRIBED', 'CHANNEL_ERROR'])
    await own.channel.send({ type: 'broadcast', event: 'access', payload: {} })
    await leave(person('owner'), own.channel)
    await leave(person('editor'), foreign.channel)
    expect(own.heard).toEqual([])
  })

  const LOSSES: readonly [string, 'editor' | 'helper', () => PromiseLike<unknown>][] = [
    [
      'is removed',
      'editor',
      () => service.from('members').delete().match({ library_id: library, user_id: ids.editor }),
    ],
    [
      'becomes a guest',
      'editor',
      () => service.from('members').update({ role: 'guest' }).match({ library_id: library, user_id: ids.editor }),
    ],
    [
      'loses a grant',
      'helper',
      () => service.from('collection_grants').delete().match({ library_id: library, user_id: ids.helper }),
    ],
    [
      "loses access to the note's collection",
      'helper',
      () => person('owner').from('documents').update({ collection_id: null }).eq('id', note),
    ],
  ]
  test.each(LOSSES)('a member who %s is excluded from the channels immediately', async (_loss, name, lose) => {
    await addLibrary()
    const before = await epoch()
    const loser = person(name)
    const owner = person('owner')
    const old = [`library:${library}:${before}`, `note:${note}:${before}`]
    const kept = await Promise.all(old.map((topic) => join(loser, topic)))
    const rest = await Promise.all(old.map((topic) => join(owner, topic)))
    expect(kept.map(({ status }) => status)).toEqual([name === 'editor' ? 'SUBSCRIBED' : 'CHANNEL_ERROR', 'SUBSCRIBED'])
    await lose()

    // The others are notified in the old channel and join the next one.
    await expect.poll(() => rest[0]?.heard.map(({ event }) => event)).toContain('members')
    const after = await epoch()
    expect(after).toBe(before + 1)
    await leave(owner, ...rest.map(({ channel }) => channel))
    const topics = [`library:${library}:${after}`, `note:${note}:${after}`]
    const joined = await Promise.all(topics.map((topic) => join(owner, topic)))
    expect(joined.map(({ status }) => status)).toEqual(['SUBSCRIBED', 'SUBSCRIBED'])
    for (const { heard } of kept) heard.length = 0

    // Messages don't cross between old and new channels.
    await kept[1]?.channel.send({ type: 'broadcast', event: 'writing', payload: { forged: true } })
    await joined[1]?.channel.send({ type: 'broadcast', event: 'writing', payload: { text: 'secret' } })
    await changeState('failed')
    await expect.poll(() => joined[0]?.heard.map(({ event }) => event)).toContain('ingest')
    expect(joined[1]?.heard).toEqual([])
    expect(kept.flatMap(({ heard }) => heard)).toEqual([])
    await leave(owner, ...joined.map(({ channel }) => channel))
    await leave(loser, ...kept.map(({ channel }) => channel))
    for (const topic of [...topics, ...old]) {
      const refused = await join(loser, topic)
      expect(refused.status, topic).toBe('CHANNEL_ERROR')
      await leave(loser, refused.channel)
    }
  })

  test('moving a note to the trash closes its channels for everyone', async () => {
    await addLibrary()
    const before = await epoch()
    const reader = await join(person('reader'), `note:${note}:${before}`)
    expect(reader.status).toBe('SUBSCRIBED')
    await person('owner')
      .from('documents')
      .update({ deleted_at: new Date().toISOString() })
      .eq('id', note)
      .throwOnError()
    expect(await epoch()).toBe(before + 1)
    await leave(person('reader'), reader.channel)
    for (const name of ['reader', 'editor', 'owner'] as const)
      for (const number of [before, before + 1]) {
        const { channel, status } = await join(person(name), `note:${note}:${number}`)
        expect(status, `${name} ${number}`).toBe('CHANNEL_ERROR')
        await leave(person(name), channel)
      }
  })

  test('the next channels cannot be joined in advance, and outsiders cannot read their number', async () => {
    await addLibrary()
    const next = (await epoch()) + 1
    for (const topic of [`library:${library}:${next}`, `library:${library}`, `note:${note}:${next}`, `note:${note}`]) {
      const { channel, status } = await join(person('editor'), topic)
      expect(status, topic).toBe('CHANNEL_ERROR')
      await leave(person('editor'), channel)
    }
    await service.from('members').delete().match({ library_id: library, user_id: ids.reader }).throwOnError()
    const { data } = await person('reader').from('library_channels').select('epoch').eq('library_id', library)
    expect(data).toEqual([])
    const { error } = await person('editor').from('library_channels').update({ epoch: 99 }).eq('library_id', library)
    expect(error?.code).toBe('42501')
  })
})
