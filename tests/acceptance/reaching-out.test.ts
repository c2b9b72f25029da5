// Functions that contact other servers: linked pages, a language model, a mail server.
import { createHmac } from 'node:crypto'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { functionMails, mailsToInbox } from '../../scripts/local-backend.ts'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import { readProjectConfig } from '../../undock/src/config/project.ts'
import { type Stack, startStack } from '../../undock/src/runtime/stack/stack.ts'

const SUPABASE = fileURLToPath(new URL('../../supabase/', import.meta.url))
const READING_ROOM = 'de300000-0000-4000-8000-000000000010'
const PUBLISHABLE_KEY = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'
const SECRET_KEY = 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'
const ARTICLE = `<html><head><title>On harbours</title><meta property="og:image" content="/harbour.png?a=1&amp;b=2"/><script>stolen()</script></head><body><nav>Home</nav><article><h1>On harbours</h1>
${'<p>A harbour is a place where ships lie safe from wind and waves, and every harbour has a light at its entrance.</p>'.repeat(6)}
</article></body></html>`

/** The header of a 600 × 400 PNG, which is all that's checked. */
const PICTURE = Buffer.from(`89504e470d0a1a0a0000000d49484452${'00000258'}${'00000190'}0806000000`, 'hex')

let site: Server
let base: string
let folder: string
let stack: Stack
let demo: SupabaseClient<Database>
const mails: string[] = []
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onRcptTo: ({ address }, _session, done) => done(address.startsWith('gone') ? new Error('No such mailbox') : null),
  onData: (stream, _session, done) => void text(stream).then((mail) => done(void mails.push(mail))),
})
const hooked: { headers: IncomingHttpHeaders; body: string }[] = []
/** The model's next answer; null refuses the request. */
let said: string | null = null

beforeAll(async () => {
  site = createServer((request, response) => {
    if (request.url === '/old') return response.writeHead(302, { location: '/harbours' }).end()
    if (request.url === '/harbour.png?a=1&b=2')
      return response.writeHead(200, { 'content-type': 'image/png' }).end(PICTURE)
    if (request.url === '/hook')
      return void text(request).then((body) => {
        hooked.push({ headers: request.headers, body })
        response.writeHead(204).end()
      })
    if (request.url === '/inside') return response.writeHead(302, { location: 'http://127.0.0.1:1/secret' }).end()
    if (request.url !== '/v1/chat/completions')
      return response.writeHead(200, { 'content-type': 'text/html' }).end(ARTICLE)
    if (said === null) return response.writeHead(500).end('out of order')
    for (const piece of said.match(/[\s\S]{1,7}/g) ?? []) {
      response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: piece } }] })}\n\n`)
    }
    response.end('data: [DONE]\n\n')
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(site.address() as AddressInfo).port}`
  base = `http://${host}`
  await new Promise<void>((resolve) => void smtp.listen(0, '127.0.0.1', resolve))
  folder = await mkdtemp(join(tmpdir(), 'carrel-functions-'))
  await cp(SUPABASE, join(folder, 'supabase'), {
    recursive: true,
    filter: (path) => !path.startsWith(join(SUPABASE, '.undock')),
  })
  await writeFile(
    join(folder, 'supabase/functions/.env'),
    `UNFURL_ALLOWED_HOSTS=${host}\nWEBHOOK_ALLOWED_HOSTS=${host}\nASK_API_URL=${base}/v1\nASK_API_KEY=secret\nASK_MODEL=parrot\n`,
  )
  const mails = functionMails(
    `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`,
    'https://carrel.example',
  )
  stack = await startStack({ workdir: folder, ports: 'free', state: 'memory', env: { ...process.env, ...mails } })
  demo = createClient<Database>(stack.url, PUBLISHABLE_KEY, { auth: { persistSession: false } })
  await demo.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
})
afterAll(async () => {
  await stack?.stop()
  site?.close()
  await new Promise<void>((resolve) => smtp.close(resolve))
  if (folder) await rm(folder, { recursive: true, force: true })
})

async function keepLink(url: string) {
  const { data: link } = await demo.rpc('add_link', { library: READING_ROOM, url }).throwOnError()
  const { data: outcome } = await demo.functions.invoke('ingest', { body: { document_id: link.id } })
  const { data: row } = await demo
    .from('documents')
    .select(
      'title, state, problem, version:versions!documents_current_version_id_fkey(mime_type, rendition_path, cover_path)',
    )
    .eq('id', link.id)
    .single()
    .throwOnError()
  return { id: link.id, outcome, row }
}

test('a link is stored as a readable page with its title, and found by search', async () => {
  const { id, outcome, row } = await keepLink(`${base}/old`)
  expect(outcome).toMatchObject({ state: 'ready', problem: null })
  expect(row).toMatchObject({ title: 'On harbours', state: 'ready', version: { mime_type: 'text/html' } })
  const { data: rendition } = await demo.storage.from('documents').download(row.version?.rendition_path ?? '')
  const html = (await rendition?.text()) ?? ''
  expect(html).toContain('A harbour is a place')
  expect(html).not.toMatch(/script|Home/)
  const { data: cover } = await demo.storage.from('documents').download(row.version?.cover_path ?? '')
  expect(cover?.type).toBe('image/png')
  expect(Buffer.from((await cover?.arrayBuffer()) ?? new ArrayBuffer())).toEqual(PICTURE)
  const { data: hits } = await demo
    .rpc('search_passages', { library: READING_ROOM, query: 'harbour entrance light' })
    .throwOnError()
  expect(hits[0]?.document_id).toBe(id)
})

test('a redirect to a private address is rejected, shown on the card, and can be retried', async () => {
  const { id, outcome, row } = await keepLink(`${base}/inside`)
  expect(outcome).toMatchObject({ state: 'failed', problem: { code: 'link_not_public' } })
  expect(row).toMatchObject({ state: 'failed', version: null })
  const { data } = await demo.functions.invoke('ingest', { body: { document_id: id } })
  expect(data).toMatchObject({ state: 'failed' })
})

test('an invalid address fails with the reason', async () => {
  const { outcome, row } = await keepLink('http://[::::]:8080/')
  expect(outcome).toMatchObject({ state: 'failed', problem: { code: 'link_invalid' } })
  expect(row).toMatchObject({ state: 'failed', problem: { code: 'link_invalid' } })
})

test('ids are accepted in every format that the database accepts', async () => {
  const [document, version] = ['12345678-1234-f234-0234-000000000001', '12345678-1234-f234-0234-000000000002']
  await demo
    .from('documents')
    .insert({ id: document, library_id: READING_ROOM, kind: 'note', title: 'Odd id' })
    .throwOnError()
  await demo
    .from('versions')
    .insert({
      id: version,
      library_id: READING_ROOM,
      document_id: document,
      body: 'Some words.',
      mime_type: '',
      size_bytes: 0,
    } as never)
    .throwOnError()
  const { data } = await demo.functions.invoke('ingest', { body: { document_id: document } })
  expect(data).toMatchObject({ state: 'ready', version_id: version })
})

type Told = {
  type: string
  citations?: object[]
  sentence?: object
  outcome?: string
  model?: string | null
  code?: string
}
async function ask(question: string): Promise<Told[]> {
  const { data } = await demo.functions.invoke('ask', { body: { library_id: READING_ROOM, question } })
  const text = await (data as Response).text()
  return text
    .split('\n\n')
    .filter(Boolean)
    .map((event) => JSON.parse(event.slice(5)) as Told)
}

test('a model answers sentence by sentence, without unsupported sentences', async () => {
  said = 'Every harbour has a light at its entrance [1]. Dragons live in all of them. There are 4711 harbours [1].'
  const told = await ask('What does every harbour have at its entrance?')
  expect(told.map(({ type }) => type)).toEqual(['sources', 'sentence', 'notice', 'done'])
  expect(told[1]?.sentence).toEqual({ text: 'Every harbour has a light at its entrance.', cites: [1] })
  expect(told[2]?.code).toBe('model_said_more')
  expect(told[3]).toMatchObject({ outcome: 'answered', model: 'parrot' })
})

test('no model is asked in a library that disallows it', async () => {
  said = null // A request to it would fail.
  const allow = (allows_models: boolean) =>
    demo.from('libraries').update({ allows_models }).eq('id', READING_ROOM).select().throwOnError()
  expect((await allow(false)).data).toHaveLength(1)
  const told = await ask('What does every harbour have at its entrance?')
  await allow(true)
  expect(told.map(({ type }) => type)).not.toContain('notice')
  expect(told.at(-1)).toMatchObject({ outcome: 'quoted', model: null })
})

test('an unsupported model answer is replaced by quotes from the library', async () => {
  said = 'Dragons live in all harbours [1].'
  const told = await ask('What does every harbour have at its entrance?')
  expect(told.map(({ type }) => type)).toEqual(['sources', 'notice', 'sources', 'sentence', 'done'])
  expect(told.at(1)?.code).toBe('model_unsupported')
  expect(JSON.stringify(told)).not.toContain('Dragons')
  expect(told.at(-1)).toMatchObject({ outcome: 'quoted', model: null })
})

test('if a model finds no answer, the nearest passages are shown without a quote', async () => {
  said = 'NOT_IN_LIBRARY'
  const told = await ask('What does every harbour have at its entrance?')
  expect(told.map(({ type, outcome }) => outcome ?? type)).toEqual(['sources', 'sources', 'not_found'])
  expect(told[1]?.citations?.length).toBeGreaterThan(0)
  expect(told[1]?.citations?.length).toBeLessThanOrEqual(3)
})

test('a model failure is reported, and the library is quoted instead', async () => {
  said = null
  const told = await ask('What does every harbour have at its entrance?')
  expect(told.at(1)).toEqual({
    type: 'notice',
    code: 'model_silent',
    message: 'The model doesn’t answer, so these are quotes.',
  })
  expect(told.at(-1)).toMatchObject({ outcome: 'quoted', model: null })
})

test('for non-members the library does not exist', async () => {
  const { error } = await demo.functions.invoke('ask', {
    body: { library_id: 'de300000-0000-4000-8000-00000000ffff', question: 'Anything?' },
  })
  expect(error?.context).toMatchObject({ status: 404 })
})

test('a mention sends one email, until the user unsubscribes in the mail program', async () => {
  const admin = createClient<Database>(stack.url, SECRET_KEY, { auth: { persistSession: false } })
  const { data: made } = await admin.auth.admin.createUser({ email: 'mary@example.org', email_confirm: true })
  const mary = made.user?.id ?? ''
  await admin.from('members').insert({ library_id: READING_ROOM, user_id: mary, role: 'reader' }).throwOnError()
  const { data: document } = await demo
    .from('documents')
    .select('id')
    .eq('library_id', READING_ROOM)
    .is('deleted_at', null)
    .limit(1)
    .single()
    .throwOnError()
  const comment = (body: string) =>
    demo.from('comments').insert({ library_id: READING_ROOM, document_id: document.id, body }).throwOnError()
  await comment(`See here, @[Mary](${mary}).`)
  await vi.waitFor(() => expect(mails).toHaveLength(1), 30_000)
  const { text = '', html, to, headers } = await PostalMime.parse(mails[0] ?? '')
  expect(to?.[0]?.address).toBe('mary@example.org')
  expect(text).toContain('> See here, @Mary.')
  expect(text).toContain(`https://carrel.example/l/${READING_ROOM}/d/${document.id}?comment=`)
  expect(html).toContain('See here, @Mary.')
  const header = (name: string) => headers.find(({ key }) => key === name)?.value ?? ''
  expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
  const [, address = ''] = /^<(.+)>$/.exec(header('list-unsubscribe')) ?? []
  const looked = await fetch(address, { redirect: 'manual' })
  expect([looked.status, looked.headers.get('location')]).toEqual([303, 'https://carrel.example/settings/profile'])
  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
  expect((await fetch(address, { method: 'POST', body })).status).toBe(200)
  await comment(`And here, @[Mary](${mary}).`)
  // Dana's mail is immediate, so one to Mary would have been sent before.
  const { data: dana } = await demo.auth.getUser()
  await admin
    .from('comments')
    .insert({ library_id: READING_ROOM, document_id: document.id, body: `@[Dana](${dana.user?.id})`, created_by: mary })
    .throwOnError()
  await vi.waitFor(() => expect(mails).toHaveLength(2), 30_000)
  expect(mails[1]).toContain('To: demo@carrel.local')
  // Only the project can trigger mails.
  expect((await demo.functions.invoke('notify', { method: 'GET' })).data).toEqual({ mails: true })
  const called = await demo.functions.invoke('notify', { body: {} })
  expect(called.error?.context).toMatchObject({ status: 401 })
})

test('webhooks are delivered and signed', async () => {
  const { data: hook } = await demo
    .rpc('create_webhook', { library: READING_ROOM, url: `${base}/hook`, events: ['document.trashed'] })
    .throwOnError()
  const { id, secret } = hook as { id: string; secret: string }
  const { data: note } = await demo.rpc('add_note', { library: READING_ROOM, title: 'Told' }).throwOnError()
  await demo.from('documents').update({ deleted_at: new Date().toISOString() }).eq('id', note.id).throwOnError()
  await vi.waitFor(() => expect(hooked).toHaveLength(1), 30_000)
  const [{ headers, body } = { headers: {}, body: '' }] = hooked
  expect(JSON.parse(body)).toMatchObject({
    type: 'document.trashed',
    data: { document: { id: note.id, title: 'Told', kind: 'note' }, actor: { name: 'Dana Demo' } },
  })
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const signature = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64')).update(signed)
  expect(headers['webhook-signature']).toBe(`v1,${signature.digest('base64')}`)
  await vi.waitFor(async () => {
    const { data } = await demo.from('webhook_deliveries').select('state, attempts, status').eq('webhook_id', id)
    expect(data).toEqual([{ state: 'delivered', attempts: 1, status: 204 }])
  })
  const called = await demo.functions.invoke('deliver-webhooks', { body: {} })
  expect(called.error?.context).toMatchObject({ status: 401 })
})

const visitor = () => createClient<Database>(stack.url, PUBLISHABLE_KEY, { auth: { persistSession: false } })
async function invite(email: string): Promise<{ id: string; token: string; mail: string }> {
  const body = { library: READING_ROOM, email, role: 'editor', locale: 'de', site: 'https://elsewhere.example' }
  return (await demo.functions.invoke('invite', { body })).data
}
async function keyOf(token: string): Promise<string> {
  const { text = '' } = await PostalMime.parse(mails.at(-1) ?? '')
  return new RegExp(`https://carrel\\.example/invite/${token}\\?key=(\\S+)`).exec(text)?.[1] ?? ''
}
const enter = async (body: object) => {
  const { data, error } = await visitor().functions.invoke('join', { body })
  return error ? error.context.status : data
}

test('an invitation email names inviter and library, and its key creates the account once', async () => {
  const email = 'new@example.org'
  const { id, token, mail } = await invite(email)
  expect(mail).toBe('sent')
  expect((await PostalMime.parse(mails.at(-1) ?? '')).subject).toBe('Dana Demo lädt Sie zu „Reading room“ ein')
  const key = await keyOf(token)
  expect(await enter({ token, key: token })).toBe(404)
  const { token_hash } = await enter({ token, key })
  const person = visitor()
  const { data } = await person.auth.verifyOtp({ token_hash, type: 'invite' })
  expect(data.user).toMatchObject({ email })
  expect(await enter({ token, key })).toBe(409)
  expect((await person.rpc('accept_invitation', { invitation: id }).throwOnError()).data).toBe(READING_ROOM)
})

test('an invitation stays valid if its email cannot be sent or is over the limit', async () => {
  const { token, mail } = await invite('gone@example.org')
  expect(mail).toBe('failed')
  const { data } = await visitor().rpc('find_invitation', { token }).throwOnError()
  expect(data).toMatchObject([{ email: 'gone@example.org', state: 'open' }])
  for (let others = 0; others < 4; others++) await invite('gone@example.org')
  expect((await invite('gone@example.org')).mail).toBe('limited')
})

test('accepting an invitation invalidates the password of an earlier unconfirmed sign-up', async () => {
  const [email, password] = ['early@example.org', 'of somebody else']
  await visitor().auth.signUp({ email, password })
  const { token } = await invite(email)
  const { token_hash } = await enter({ token, key: await keyOf(token) })
  expect((await visitor().auth.verifyOtp({ token_hash, type: 'invite' })).data.user).toMatchObject({ email })
  expect((await visitor().auth.signInWithPassword({ email, password })).error?.code).toBe('invalid_credentials')
})

test('a request for a new invitation is emailed to an owner once, and always gets the same response', async () => {
  const { id, token } = await invite('late@example.org')
  const admin = createClient<Database>(stack.url, SECRET_KEY, { auth: { persistSession: false } })
  await admin
    .from('invitations')
    .update({ expires_at: new Date(0).toISOString() })
    .eq('id', id)
    .throwOnError()
  const before = mails.length
  for (const asked of [token, token, 'unknown'])
    expect(await enter({ token: asked, ask: true })).toEqual({ asked: true })
  expect(mails).toHaveLength(before + 1)
  const { subject, to, text } = await PostalMime.parse(mails.at(-1) ?? '')
  expect([subject, to?.[0]?.address]).toEqual(['late@example.org bittet um eine neue Einladung', 'demo@carrel.local'])
  expect(text).toContain(`https://carrel.example/l/${READING_ROOM}/members`)
})

test('the settings of `npm start` send these emails to its own inbox', () => {
  const { config } = readProjectConfig(
    fileURLToPath(new URL('../..', import.meta.url)),
    mailsToInbox('http://127.0.0.1:5173', 54399),
  )
  const { secrets } = config.edge_runtime
  expect(secrets).toMatchObject({ MAIL_FROM: expect.stringContaining('@'), SITE_URL: config.auth.site_url })
  expect(new URL(secrets.MAIL_SERVER ?? '').host).toBe(`127.0.0.1:${config.local_smtp.smtp_port}`)
})
