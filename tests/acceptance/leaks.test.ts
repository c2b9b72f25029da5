// A hostile client tests everything that could leak, for every kind of outsider. It knows all ids, like a former
// member, and requests all data through the official client.
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import type { SearchAnswer } from '../../supabase/functions/_shared/hit.ts'
import { type Stack, startStack } from '../../undock/src/runtime/stack/stack.ts'
import { totp } from '../e2e/totp.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PUBLISHABLE = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'
const SECRET = 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'
const PASSWORD = 'four unrelated lamps'
const WORD = 'xanthophyll'

type Client = SupabaseClient<Database>
type Library = {
  id: string
  open: { collection: string; note: string; file: string; path: string }
  closed: { collection: string; note: string; file: string; path: string }
}

let stack: Stack
let service: Client
/** One library requires a second factor, one doesn't. */
let plain: Library
let locked: Library
const people: Record<string, Client> = {}

/** How much of each library a person may see: everything, the granted collection, or nothing. */
const MATRIX = [
  ['nobody', 'plain', 'nothing'],
  ['nobody', 'locked', 'nothing'],
  ['stranger', 'plain', 'nothing'],
  ['stranger', 'locked', 'nothing'],
  ['former member', 'plain', 'nothing'],
  ['former member', 'locked', 'nothing'],
  ['guest', 'plain', 'the open collection'],
  ['guest', 'locked', 'nothing'],
  ['reader', 'plain', 'everything'],
  ['reader', 'locked', 'nothing'],
  ['owner with one factor', 'plain', 'everything'],
  ['owner with one factor', 'locked', 'nothing'],
  ['owner with two factors', 'plain', 'everything'],
  ['owner with two factors', 'locked', 'everything'],
] as const

const open = (key: string): Client =>
  createClient<Database>(stack.url, key, { auth: { persistSession: false, autoRefreshToken: false } })

async function signIn(name: string): Promise<Client> {
  const client = open(PUBLISHABLE)
  const { error } = await client.auth.signInWithPassword({ email: `${name}@leaks.example`, password: PASSWORD })
  if (error) throw error
  return client
}

async function addPerson(name: string): Promise<string> {
  const { data, error } = await service.auth.admin.createUser({
    email: `${name}@leaks.example`,
    password: PASSWORD,
    email_confirm: true,
  })
  if (error) throw error
  return data.user.id
}

async function addShelf(owner: Client, library: string, name: string) {
  const { data: collection } = await owner
    .from('collections')
    .insert({ library_id: library, name })
    .select('id')
    .single()
    .throwOnError()
  const { data: note } = await owner
    .rpc('add_note', { library, title: `${name} note`, body: `The ${WORD} of the ${name}.`, collection: collection.id })
    .throwOnError()
  await service
    .rpc('replace_passages', {
      version: note.current_version_id ?? '',
      passages: [{ start: 0, end: 20, content: `The ${WORD} of the ${name}.` }],
    })
    .throwOnError()
  const file = randomUUID()
  const path = `${library}/${file}/${randomUUID()}/secret.txt`
  const { error } = await owner.storage.from('documents').upload(path, new Blob([`${WORD} in a file`]), {
    contentType: 'text/plain',
  })
  if (error) throw error
  await owner
    .rpc('add_file', { library, document: file, path, file_name: 'secret.txt', collection: collection.id })
    .throwOnError()
  await owner
    .from('comments')
    .insert({ library_id: library, document_id: note.id, body: `About ${WORD}` })
    .throwOnError()
  const { data: field } = await owner
    .rpc('save_field', {
      collection: collection.id,
      // Null for a new field, which the generated types don't allow.
      field: null as unknown as string,
      name: 'State',
      kind: 'choice',
      options: [{ name: WORD }],
    })
    .throwOnError()
  const { data: option } = await owner
    .from('field_options')
    .select('id')
    .eq('field_id', field.id)
    .single()
    .throwOnError()
  await owner.rpc('set_field_value', { documents: [note.id], field: field.id, value: option.id }).throwOnError()
  return { collection: collection.id, note: note.id, file, path }
}

async function addLibrary(owner: Client, name: string): Promise<Library> {
  const { data } = await owner.rpc('create_library', { name }).throwOnError()
  const library = {
    id: data.id,
    open: await addShelf(owner, data.id, 'open'),
    closed: await addShelf(owner, data.id, 'closed'),
  }
  const { data: tag } = await owner
    .from('tags')
    .insert({ library_id: data.id, name: 'tag' })
    .select('id')
    .single()
    .throwOnError()
  await owner
    .from('document_tags')
    .insert({ library_id: data.id, document_id: library.closed.note, tag_id: tag.id })
    .throwOnError()
  await owner.rpc('invite_member', { library: data.id, email: 'waiting@leaks.example' }).throwOnError()
  await owner.rpc('create_share_link', { document: library.closed.note }).throwOnError()
  const progress = async () => (await owner.rpc('indexing_progress', { library: data.id }).single().throwOnError()).data
  await vi.waitFor(async () => expect(await progress()).toMatchObject({ done: 4 }), { timeout: 100_000, interval: 250 })
  return library
}

beforeAll(async () => {
  stack = await startStack({ workdir: ROOT, ports: 'free', state: 'memory' })
  service = open(SECRET)
  const ids: Record<string, string> = {}
  for (const name of ['owner', 'reader', 'guest', 'former', 'stranger']) ids[name] = await addPerson(name)
  const owner = await signIn('owner')
  plain = await addLibrary(owner, 'Plain')
  locked = await addLibrary(owner, 'Locked')
  for (const { id, open } of [plain, locked]) {
    const members = (['reader', 'guest', 'former'] as const).map((name) => ({
      library_id: id,
      user_id: ids[name] ?? '',
      role: name === 'former' ? ('owner' as const) : name,
    }))
    await service.from('members').insert(members).throwOnError()
    await service
      .from('collection_grants')
      .insert({ library_id: id, collection_id: open.collection, user_id: ids.guest ?? '', role: 'reader' })
      .throwOnError()
  }

  people.nobody = open(PUBLISHABLE)
  people.stranger = await signIn('stranger')
  people.reader = await signIn('reader')
  people.guest = await signIn('guest')
  // Signed in while still an owner: the token outlives the membership.
  people['former member'] = await signIn('former')
  await service
    .from('members')
    .delete()
    .eq('user_id', ids.former ?? '')
    .throwOnError()

  people['owner with one factor'] = owner
  const strong = await signIn('owner')
  const { data: factor, error } = await strong.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'test' })
  if (error) throw error
  const lifted = await strong.auth.mfa.challengeAndVerify({ factorId: factor.id, code: totp(factor.totp.secret) })
  if (lifted.error) throw lifted.error
  people['owner with two factors'] = strong
  await strong.from('libraries').update({ require_second_factor: true }).eq('id', locked.id).throwOnError()
  // Enrolling ends sessions without the second factor; this one starts afterwards with the first factor only.
  people['owner with one factor'] = await signIn('owner')
}, 120_000)
afterAll(() => stack?.stop())

const TABLES = [
  'library_channels',
  'members',
  'collections',
  'collection_grants',
  'documents',
  'versions',
  'passages',
  'comments',
  'tags',
  'document_tags',
  'collection_fields',
  'field_options',
  'field_values',
  'invitations',
  'share_links',
  'activity',
  'webhooks',
] as const

/** A library's rows that a person sees, and the service's count: both must agree. */
async function look(client: Client, table: (typeof TABLES)[number], library: string) {
  const { data, count } = await client.from(table).select('library_id', { count: 'exact' }).eq('library_id', library)
  const head = await client.from(table).select('library_id', { count: 'exact', head: true }).eq('library_id', library)
  return { rows: data?.length ?? 0, count: count ?? 0, head: head.count ?? 0 }
}

/** Requests everything about a document and its file. @returns the result of each request */
async function reachFor(client: Client, library: string, shelf: Library['open']) {
  const files = client.storage.from('documents')
  const [row, passages, found, related, audience, download, signed, listed, info, opened] = await Promise.all([
    client.from('documents').select('title').eq('id', shelf.note),
    client.from('passages').select('content').eq('document_id', shelf.note),
    client.rpc('search_passages', { library, query: WORD, filters: { document: shelf.note } }),
    client.rpc('related_documents', { document: shelf.note }),
    client.rpc('document_audience', { document: shelf.note }),
    files.download(shelf.path),
    files.createSignedUrl(shelf.path, 60),
    files.list(shelf.path.split('/').slice(0, 3).join('/')),
    files.info(shelf.path),
    fetch(`${stack.url}/storage/v1/object/public/documents/${shelf.path}`),
  ])
  return {
    row: row.data?.length ?? 0,
    passages: passages.data?.length ?? 0,
    found: found.data?.length ?? 0,
    closedIsNear: (related.data ?? []).some(({ title }) => title === 'closed note'),
    audience: (audience.data?.length ?? 0) > 0,
    download: download.error === null,
    signed: signed.error === null,
    listed: listed.data?.length ?? 0,
    info: info.error === null,
    publicly: opened.ok,
  }
}

const NOTHING = {
  row: 0,
  passages: 0,
  found: 0,
  closedIsNear: false,
  audience: false,
  download: false,
  signed: false,
  listed: 0,
  info: false,
  publicly: false,
}
const ALL = {
  ...NOTHING,
  row: 1,
  passages: 1,
  found: 1,
  audience: true,
  download: true,
  signed: true,
  listed: 1,
  info: true,
}

describe.each(MATRIX)('for %s, the %s library', (person, which, extent) => {
  const client = () => people[person] as Client
  const library = () => (which === 'plain' ? plain : locked)

  test('shows only the permitted rows and counts', async () => {
    const { data: itself } = await client().from('libraries').select('id').eq('id', library().id)
    expect(itself?.length ?? 0).toBe(extent === 'nothing' ? 0 : 1)
    for (const table of TABLES) {
      const { rows, count, head } = await look(client(), table, library().id)
      expect({ table, count, head }).toEqual({ table, count: rows, head: rows })
      if (extent === 'nothing') expect({ table, rows }).toEqual({ table, rows: 0 })
    }
    if (extent === 'nothing') return
    const documents = (await look(client(), 'documents', library().id)).rows
    expect(documents).toBe(extent === 'everything' ? 4 : 2)
    for (const table of ['collection_fields', 'field_options', 'field_values'] as const)
      expect((await look(client(), table, library().id)).rows).toBe(extent === 'everything' ? 2 : 1)
  })

  test('gives access to documents, passages, search results, files and signed URLs only as permitted', async () => {
    const { id, open: openShelf, closed } = library()
    const reached = { open: await reachFor(client(), id, openShelf), closed: await reachFor(client(), id, closed) }
    const expected = { everything: [ALL, ALL], 'the open collection': [ALL, NOTHING], nothing: [NOTHING, NOTHING] }[
      extent
    ]
    const [expectedOpen, expectedClosed] = expected
    // Members see all similar passages; guests only those in their collection.
    expect(reached.open).toEqual({ ...expectedOpen, closedIsNear: extent === 'everything' })
    expect(reached.closed).toEqual(expectedClosed)
  })

  test('limits search and its statistics to what is permitted', async () => {
    const search = { library: library().id, query: WORD }
    const { data: hits } = await client().rpc('search_passages', search)
    const { data: answer } = await client().functions.invoke<SearchAnswer>('search', { body: search })
    for (const found of [hits, answer?.hits])
      expect(found?.length ?? 0).toBe({ everything: 4, 'the open collection': 2, nothing: 0 }[extent])
    const { data: insights } = await client().rpc('library_insights', { library: library().id })
    const counted = insights === null ? 0 : (insights as { documents: number }).documents
    expect(counted).toBe({ everything: 4, 'the open collection': 2, nothing: 0 }[extent])
    const { data: read } = await client().rpc('most_read', { library: library().id })
    expect(read ?? []).toEqual([])
  })

  test('lets only members join the channel', async () => {
    const { data } = await service
      .from('library_channels')
      .select()
      .eq('library_id', library().id)
      .single()
      .throwOnError()
    const channel = client().channel(`library:${library().id}:${data.epoch}`, { config: { private: true } })
    const heard: unknown[] = []
    channel.on('broadcast', { event: 'ingest' }, ({ payload }) => heard.push(payload))
    await client().realtime.setAuth()
    const status = await new Promise<string>((resolve) => {
      channel.subscribe((said) => said !== 'CLOSED' && resolve(said))
    })
    if (extent === 'everything') expect(status).toBe('SUBSCRIBED')
    else expect(status).toBe('CHANNEL_ERROR')
    await client().removeChannel(channel)
    expect(heard).toEqual([])
  })
})

test('row changes are not sent to a channel with an arbitrary name', async () => {
  const heard: string[] = []
  const listeners = await Promise.all(
    ['stranger', 'former member', 'guest', 'reader'].map(async (person) => {
      const client = people[person] as Client
      await client.realtime.setAuth()
      const channel = client.channel(`anything-${person}`)
      channel.on('postgres_changes', { event: '*', schema: 'public', table: 'comments' }, ({ new: row }) => {
        heard.push(`${person}: ${(row as { body?: string }).body}`)
      })
      let streaming: () => void = () => {}
      const ready = new Promise<void>((resolve) => {
        streaming = resolve
      })
      channel.on('system', {}, (message: { status?: string }) => message.status === 'ok' && streaming())
      channel.subscribe()
      await ready
      return { client, channel }
    }),
  )
  const owner = people['owner with two factors'] as Client
  const say = (library: Library, document: string, body: string) =>
    owner.from('comments').insert({ library_id: library.id, document_id: document, body }).throwOnError()
  await say(locked, locked.closed.note, 'in the locked library')
  await say(plain, plain.closed.note, 'closed to guests')
  await say(plain, plain.open.note, 'open')
  await expect
    .poll(() => heard.filter((line) => line.endsWith(': open')).sort())
    .toEqual(['guest: open', 'reader: open'])
  expect(heard.filter((line) => !line.endsWith(': open'))).toEqual(['reader: closed to guests'])
  await Promise.all(listeners.map(({ client, channel }) => client.removeChannel(channel)))
})

describe('outsiders', () => {
  const outsiders = ['nobody', 'stranger', 'former member', 'guest', 'owner with one factor'] as const
  test.each(outsiders)('%s cannot change anything in the locked library', async (person) => {
    const client = people[person] as Client
    const before = await service
      .from('documents')
      .select('id, title, deleted_at')
      .eq('library_id', locked.id)
      .throwOnError()
    const refused = await Promise.all([
      client.rpc('add_note', { library: locked.id, title: 'x', body: 'x' }),
      client.rpc('add_file', { library: locked.id, document: randomUUID(), path: locked.closed.path, file_name: 'x' }),
      client.rpc('invite_member', { library: locked.id, email: 'x@example.org' }),
      client.rpc('create_share_link', { document: locked.closed.note }),
      client.from('comments').insert({ library_id: locked.id, document_id: locked.closed.note, body: 'x' }),
      client.from('collections').insert({ library_id: locked.id, name: 'x' }),
      client
        .from('collection_grants')
        .insert({ library_id: locked.id, collection_id: locked.closed.collection, user_id: randomUUID() }),
      client.storage.from('documents').upload(`${locked.id}/${randomUUID()}/v/x.txt`, new Blob(['x'])),
      client.storage.from('documents').update(locked.closed.path, new Blob(['x'])),
      client.storage.from('documents').move(locked.closed.path, `${plain.id}/${randomUUID()}/v/x.txt`),
      client.storage.from('documents').copy(locked.closed.path, `${plain.id}/${randomUUID()}/v/x.txt`),
      client.storage.from('documents').createSignedUploadUrl(`${locked.id}/${randomUUID()}/v/x.txt`),
    ])
    expect(refused.map(({ error }) => error !== null)).toEqual(refused.map(() => true))
    await client.from('documents').update({ title: 'taken' }).eq('id', locked.closed.note)
    await client.from('documents').update({ deleted_at: new Date().toISOString() }).eq('library_id', locked.id)
    await client.from('members').update({ role: 'owner' }).eq('library_id', locked.id)
    await client.from('libraries').update({ name: 'taken' }).eq('id', locked.id)
    await client.storage.from('documents').remove([locked.closed.path])
    const after = await service
      .from('documents')
      .select('id, title, deleted_at')
      .eq('library_id', locked.id)
      .throwOnError()
    expect(after.data).toEqual(before.data)
    const { data: kept } = await service.storage.from('documents').download(locked.closed.path)
    expect(await kept?.text()).toBe(`${WORD} in a file`)
  })

  test('cannot run functions on the library', async () => {
    for (const person of outsiders) {
      const client = people[person] as Client
      const { error } = await client.functions.invoke('ingest', { body: { document_id: locked.closed.note } })
      expect({ person, refused: error !== null }).toEqual({ person, refused: true })
      const purge = await client.functions.invoke('purge', { body: {} })
      expect({ person, refused: purge.error !== null }).toEqual({ person, refused: true })
    }
  })
})

test('a signed URL stops working once its holder loses access', async () => {
  const owner = people['owner with two factors'] as Client
  const { data } = await owner.storage.from('documents').createSignedUrl(plain.closed.path, 60)
  const address = data?.signedUrl ?? ''
  expect((await fetch(address)).status).toBe(200)
  const token = new URL(address).searchParams.get('token') ?? ''
  const elsewhere = `${stack.url}/storage/v1/object/sign/documents/${locked.closed.path}?token=${token}`
  expect((await fetch(elsewhere)).ok).toBe(false)
  expect((await fetch(address.replace(/token=[^.]+/, 'token=eyJhbGciOiJub25lIn0'))).ok).toBe(false)
})

test('guessing tokens and ids reveals nothing', async () => {
  const visitor = people.nobody as Client
  const answers = await Promise.all([
    visitor.rpc('open_share_link', { token: 'x' }),
    visitor.rpc('find_invitation', { token: 'x' }),
    visitor.rpc('open_share_link', { token: "' or true --" }),
    visitor.rpc('find_invitation', { token: '%' }),
  ])
  expect(answers.map(({ data }) => data)).toEqual([[], [], [], []])
  const stranger = people.stranger as Client
  const { data: invitations } = await service.from('invitations').select('id').throwOnError()
  const tries = [...(invitations ?? []).map(({ id }) => id), randomUUID()]
  const refusals = await Promise.all(tries.map((invitation) => stranger.rpc('accept_invitation', { invitation })))
  // An invitation for another address and a nonexistent one give the same response.
  expect(new Set(refusals.map(({ error }) => `${error?.code} ${error?.message}`)).size).toBe(1)
})
