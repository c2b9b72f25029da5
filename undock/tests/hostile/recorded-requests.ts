import { randomUUID } from 'node:crypto'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { generateSync } from 'otplib'
import { WebSocket } from 'ws'
import type { Target } from './start-target.ts'

/** A request sent by an official client. */
export type RecordedRequest = {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export type Recording = {
  readonly requests: readonly RecordedRequest[]
  /** The frames sent over a socket, with their serializer. */
  readonly frames: readonly { readonly version: string; readonly data: string | Buffer }[]
  /** Several users' credentials, to send requests as another user. */
  readonly tokens: readonly string[]
}

/** Uses every service with the official clients and records their requests. */
export async function recordRequests(target: Target): Promise<Recording> {
  const requests: RecordedRequest[] = []
  const frames: Recording['frames'][number][] = []
  const record: typeof fetch = async (input, init) => {
    const request = new Request(input as RequestInfo, init)
    const body = Buffer.from(await request.clone().arrayBuffer())
    const { pathname, search } = new URL(request.url)
    requests.push({
      method: request.method,
      path: pathname + search,
      headers: Object.fromEntries(request.headers),
      body,
    })
    return fetch(request)
  }
  const open = (key: string, version = '2.0.0'): SupabaseClient =>
    createClient(target.url, key, {
      auth: { persistSession: false, autoRefreshToken: false },
      global: { fetch: record },
      realtime: { vsn: version, transport: recordingSocket(version, frames) },
    })
  const name = randomUUID().slice(0, 8)
  const person = open(target.publishable)
  const email = `${name}@example.com`
  const password = 'four unrelated lamps'
  await person.auth.signUp({ email, password, options: { data: { name } } })
  const { data } = await person.auth.signInWithPassword({ email, password })
  const service = open(target.secret)
  await callData(person, service)
  await callStorage(person, service, name)
  await callFunctions(person)
  await callRealtime(person, '2.0.0')
  const older = open(target.publishable, '1.0.0')
  await older.auth.setSession(data.session ?? { access_token: '', refresh_token: '' })
  await callRealtime(older, '1.0.0')
  await callLongPoll(record, target)
  for (const path of ['/rest-admin/v1/ready', '/functions/v1/_internal/metric']) await record(target.url + path)
  await callAuth(person, service, open(target.publishable), { email, password, name })
  return { requests, frames, tokens: [data.session?.access_token ?? '', target.publishable, target.secret] }
}

/** A WebSocket that records sent messages. */
function recordingSocket(version: string, frames: { version: string; data: string | Buffer }[]) {
  return class extends WebSocket {
    override send(data: never): void {
      frames.push({ version, data: typeof data === 'string' ? data : Buffer.from(data as ArrayBuffer) })
      super.send(data)
    }
  } as unknown as typeof globalThis.WebSocket
}

/** A long-polling session, which the client doesn't expose: joins a channel and sends a broadcast. */
async function callLongPoll(record: typeof fetch, { url, publishable }: Target): Promise<void> {
  const address = `${url}/realtime/v1/longpoll?vsn=2.0.0&apikey=${publishable}`
  const { token } = (await (await record(address)).json()) as { token: string }
  const topic = 'realtime:polled'
  const messages = [
    ['1', '1', topic, 'phx_join', { config: { broadcast: { self: true }, presence: { enabled: true } } }],
    ['1', '2', topic, 'broadcast', { type: 'broadcast', event: 'e', payload: { n: 1 } }],
  ]
  const body = messages.map((message) => JSON.stringify(message)).join('\n')
  await record(`${address}&token=${token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body,
  })
}

async function callData(person: SupabaseClient, service: SupabaseClient): Promise<void> {
  const books = () => person.from('books')
  await books().select()
  await books().select('id, title, authors(name, born), tags(label)', { count: 'exact' }).order('id').range(2, 9)
  await books().select('data->a->>b, ...authors!inner(author:name)').eq('authors.name', 'author 1').limit(3)
  await books().select('title.max(), count()')
  await books().select().or('id.lt.5,and(title.ilike.*1*,price.gte.3)').not('tags', 'cs', '{c}').is('words', null)
  await books().select().contains('data', { a: {} }).overlaps('tags', ['a']).in('id', [1, 2, 3])
  await books().select().rangeLt('during', '[2030-01-01,2031-01-01)').textSearch('title', 'book', { type: 'websearch' })
  await books().select().csv()
  await books().select('*', { count: 'planned', head: true })
  await person.from('shelf').select().match({ author: 'author 2' }).maybeSingle()
  await books()
    .insert({ title: 'one', data: { x: [1, null, 'y'] }, tags: ['q'] })
    .select()
    .single()
  await books().insert([{ title: 'two' }, { title: 'three', price: 3 }], { defaultToNull: false })
  await books().upsert({ id: 500, title: 'merged' }, { onConflict: 'id', ignoreDuplicates: false }).select('id, title')
  await books().update({ title: 'changed', price: 1.5 }).eq('title', 'one').select()
  await books().delete().eq('title', 'two').select('id')
  await service.from('tags').upsert([
    { id: 1, label: 'x' },
    { id: 9, label: 'y' },
  ])
  await service
    .schema('api')
    .from('things')
    .insert({ id: Math.floor(Math.random() * 1e9), name: 'thing' })
  await person.rpc('add', { a: 1, b: 2 })
  await person.rpc('add', { a: 1 }, { get: true })
  await person.rpc('find_books', { query: 'book', most: 5 }).select('id, authors(name)').order('id').limit(2)
  await person.rpc('take', { any: ['thing'] })
  await person.rpc('many', { items: ['a', 'b'] })
  await person.rpc('note', { body: 'x' })
}

async function callStorage(person: SupabaseClient, service: SupabaseClient, name: string): Promise<void> {
  const closed = person.storage.from('closed')
  const text = (content: string) => new Blob([content], { type: 'text/plain' })
  await closed.upload(`${name}/a.txt`, text('hello'), { upsert: true, metadata: { kind: 'note' }, cacheControl: '60' })
  await closed.update(`${name}/a.txt`, 'hello again', { contentType: 'text/plain' })
  await closed.download(`${name}/a.txt`)
  await closed.info(`${name}/a.txt`)
  await closed.exists(`${name}/a.txt`)
  await closed.list(name, { limit: 10, offset: 0, search: 'a', sortBy: { column: 'name', order: 'desc' } })
  await closed.listV2({ prefix: name, limit: 5, with_delimiter: true })
  const signed = await closed.createSignedUrl(`${name}/a.txt`, 60, { download: 'b.txt' })
  await closed.createSignedUrls([`${name}/a.txt`, 'nothing'], 60)
  const upload = await closed.createSignedUploadUrl(`${name}/b.txt`)
  if (upload.data) await closed.uploadToSignedUrl(upload.data.path, upload.data.token, text('signed'))
  await closed.copy(`${name}/a.txt`, `${name}/c.txt`)
  await closed.move(`${name}/c.txt`, `${name}/d.txt`)
  await closed.remove([`${name}/d.txt`, 'nothing'])
  await person.storage.from('open').upload(`${name}.txt`, text('public'))
  const fetches = [signed.data?.signedUrl, person.storage.from('open').getPublicUrl(`${name}.txt`).data.publicUrl]
  const { fetch: recorded } = person.storage as unknown as { fetch: typeof fetch }
  for (const url of fetches) if (url) await recorded(url, { headers: { range: 'bytes=1-2', 'if-none-match': '"x"' } })
  await service.storage.listBuckets()
  await service.storage.analytics.listBuckets()
  await service.storage.createBucket(`b-${name}`, {
    public: false,
    fileSizeLimit: '1MB',
    allowedMimeTypes: ['image/*'],
  })
  await service.storage.updateBucket(`b-${name}`, { public: true })
  await service.storage.getBucket(`b-${name}`)
  await service.storage.emptyBucket(`b-${name}`)
  await service.storage.deleteBucket(`b-${name}`)
  const metadata = `bucketName ${btoa('closed')},objectName ${btoa(`${name}/t.txt`)},contentType ${btoa('text/plain')}`
  const tus = { 'tus-resumable': '1.0.0', 'upload-length': '5', 'upload-metadata': metadata, 'x-upsert': 'true' }
  const base = signed.data?.signedUrl ? new URL(signed.data.signedUrl).origin : ''
  const made = await recorded(`${base}/storage/v1/upload/resumable`, { method: 'POST', headers: tus })
  const location = made.headers.get('location')
  if (!location) return
  const patch = { 'tus-resumable': '1.0.0', 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
  await recorded(location, { method: 'HEAD', headers: patch })
  await recorded(location, { method: 'PATCH', headers: patch, body: 'hello' })
}

async function callFunctions(person: SupabaseClient): Promise<void> {
  await person.functions.invoke('echo', { body: { hello: 'world' } })
  await person.functions.invoke('echo', { method: 'GET' })
}

async function callRealtime(client: SupabaseClient, version: string): Promise<void> {
  const channel = client.channel(`room-${version}`, {
    config: { broadcast: { ack: true, self: true }, presence: { key: 'me' } },
  })
  channel
    .on('postgres_changes', { event: '*', schema: 'public', table: 'books', filter: 'id=gt.1' }, () => undefined)
    .on('broadcast', { event: 'said' }, () => undefined)
    .on('presence', { event: 'sync' }, () => undefined)
  await new Promise<void>((resolve) => void channel.subscribe((status) => status !== 'CLOSED' && resolve()))
  await channel.send({ type: 'broadcast', event: 'said', payload: { text: 'hello' } })
  await channel.send({ type: 'broadcast', event: 'said', payload: new Uint8Array([1, 2, 3]).buffer })
  await channel.track({ at: 'page 1' })
  await channel.untrack()
  await client.removeAllChannels()
  await client.channel('unjoined').httpSend('said', { text: 'by HTTP' })
  client.realtime.disconnect()
}

type Who = { readonly email: string; readonly password: string; readonly name: string }

async function callAuth(
  person: SupabaseClient,
  service: SupabaseClient,
  other: SupabaseClient,
  who: Who,
): Promise<void> {
  const { email, password, name } = who
  await person.auth.getUser()
  await person.auth.getClaims()
  await person.auth.updateUser({ data: { color: 'blue' } })
  await person.auth.reauthenticate()
  await person.auth.refreshSession()
  const { data: factor } = await person.auth.mfa.enroll({ factorType: 'totp', friendlyName: name })
  if (factor)
    await person.auth.mfa.challengeAndVerify({
      factorId: factor.id,
      code: generateSync({ secret: factor.totp.secret }),
    })
  await person.auth.mfa.listFactors()
  await person.auth.getUserIdentities()
  await other.auth.signInAnonymously({ options: { data: { a: 1 } } })
  await other.auth.signInWithOtp({ email: `otp-${email}` })
  await other.auth.verifyOtp({ email, token: '123456', type: 'email' })
  await other.auth.verifyOtp({ token_hash: 'x'.repeat(56), type: 'recovery' })
  await other.auth.resetPasswordForEmail(email, { redirectTo: 'http://127.0.0.1:3000/reset' })
  await other.auth.resend({ type: 'signup', email })
  await other.auth.signInWithIdToken({ provider: 'google', token: 'a.b.c' })
  await other.auth.exchangeCodeForSession(randomUUID())
  await other.auth.signInWithSSO({ domain: 'example.com' })
  await other.auth.signInWithPassword({ email, password: 'wrong' })
  const { admin } = service.auth
  const { data: made } = await admin.createUser({
    email: `made-${email}`,
    password,
    email_confirm: true,
    user_metadata: { a: [1] },
  })
  await admin.listUsers({ page: 1, perPage: 5 })
  await admin.generateLink({ type: 'magiclink', email })
  await admin.inviteUserByEmail(`invited-${email}`)
  if (made.user) {
    await admin.getUserById(made.user.id)
    await admin.updateUserById(made.user.id, { ban_duration: '1h', app_metadata: { role: 'x' } })
    await admin.mfa.listFactors({ userId: made.user.id })
    await admin.deleteUser(made.user.id, true)
  }
  await other.auth.signOut()
}
