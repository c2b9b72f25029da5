import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type MailOptions, type MailService, startMail } from './index.ts'
import { createSmtpMailer } from './mailer.ts'

const log = { info() {}, warn() {}, error() {} }
const START = Date.parse('2026-03-01T10:00:00Z')

const claimPort: MailOptions['claimPort'] = (port, _what, take) => take(port)

let folder: string
let mail: MailService
let ticks = 0
const clock = { now: () => new Date(START + ticks++ * 1000) }
const start = (options: { folder?: string } = {}) =>
  startMail({
    host: '127.0.0.1',
    claimPort,
    httpPort: 0,
    smtpPort: 0,
    clock,
    log,
    folder: options.folder ?? null,
  })

beforeEach(async () => {
  ticks = 0
  folder = mkdtempSync(join(tmpdir(), 'undock-mail-'))
  mail = await start()
})
afterEach(async () => {
  await mail.close()
  rmSync(folder, { recursive: true })
})

const get = async (path: string) => (await fetch(mail.url + path)).json()
const send = (subject: string, to = 'jo@example.com', html = `<p>${subject}</p>`) =>
  mail.mailer.send({ from: '"The Admin" <admin@email.com>', to, subject, html })
const subjects = async (query: string) =>
  (await get(`/api/v1/search?query=${encodeURIComponent(query)}`)).messages.map(
    (one: { Subject: string }) => one.Subject,
  )

test("lists and returns a service's email in Mailpit's format", async () => {
  await send(
    'Confirm your address',
    'Jo <jo@example.com>',
    '<p>Your code is 123456</p><a href="http://x/y">Confirm</a>',
  )
  const list = await get('/api/v1/messages')
  const id = list.messages[0].ID
  expect(list).toEqual({
    total: 1,
    unread: 1,
    count: 1,
    messages_count: 1,
    messages_unread: 1,
    start: 0,
    tags: [],
    messages: [
      {
        ID: expect.stringMatching(/^[0-9a-f]{32}$/),
        MessageID: expect.stringContaining('@'),
        Read: false,
        From: { Name: 'The Admin', Address: 'admin@email.com' },
        To: [{ Name: 'Jo', Address: 'jo@example.com' }],
        Cc: [],
        Bcc: [],
        ReplyTo: [],
        Subject: 'Confirm your address',
        Created: '2026-03-01T10:00:01.000Z',
        Username: '',
        Tags: [],
        Size: expect.any(Number),
        Attachments: 0,
        Snippet: 'Your code is 123456 Confirm (http://x/y)',
      },
    ],
  })
  expect(await get(`/api/v1/message/${id}`)).toMatchObject({
    ID: id,
    ReturnPath: 'admin@email.com',
    Subject: 'Confirm your address',
    Text: 'Your code is 123456\nConfirm (http://x/y)',
    HTML: expect.stringContaining('<a href="http://x/y">'),
    Inline: [],
    Attachments: [],
  })
  expect((await get('/api/v1/messages')).unread).toBe(0)
  expect((await get(`/api/v1/message/latest/headers`)).Subject).toEqual(['Confirm your address'])
  expect(await (await fetch(`${mail.url}/view/latest.txt`)).text()).toContain('Your code is 123456')
})

test('receives attachments, inline images and Bcc recipients over SMTP', async () => {
  const transport = createTransport({ host: '127.0.0.1', port: mail.smtpPort ?? 0, auth: { user: 'any', pass: 'any' } })
  await transport.sendMail({
    from: 'a@example.com',
    to: 'b@example.com',
    bcc: 'hidden@example.com',
    subject: 'Grüße',
    html: '<head></head><img src="cid:logo">',
    attachments: [
      { filename: 'note.txt', content: 'hello' },
      { filename: 'logo.png', content: Buffer.from('png'), cid: 'logo' },
    ],
  })
  transport.close()
  const found = await get('/api/v1/message/latest')
  expect(found).toMatchObject({
    Subject: 'Grüße',
    Bcc: [{ Name: '', Address: 'hidden@example.com' }],
    Attachments: [{ FileName: 'note.txt', ContentType: 'text/plain', Size: 5 }],
    Inline: [{ FileName: 'logo.png', ContentID: 'logo' }],
  })
  const part = await fetch(`${mail.url}/api/v1/message/latest/part/${found.Attachments[0].PartID}`)
  expect(await part.text()).toBe('hello')
  expect(part.headers.get('content-security-policy')).toContain('sandbox')
  expect(await (await fetch(`${mail.url}/view/latest.html`)).text()).toContain(
    `<head><base target="_blank"></head><img src="/api/v1/message/${found.ID}/part/${found.Inline[0].PartID}">`,
  )
  expect(await (await fetch(`${mail.url}/api/v1/message/latest/raw`)).text()).toMatch(
    /^Return-Path: <a@example.com>\r\nBcc: /,
  )
})

test.each([
  ['to:kim', ['Second']],
  ['TO:KIM@EXAMPLE.COM', ['Second']],
  ['subject:"an invitation"', ['An invitation']],
  ['from:admin -to:kim', ['An invitation', 'First']],
  ['!to:kim !to:jo', ['An invitation']],
  ['is:unread', ['An invitation', 'Second', 'First']],
  ['is:read', []],
  ['has:attachment', []],
  ['before:2026-03-01T10:00:02Z', ['First']],
  ['after:2026-03-01T10:00:03Z', ['An invitation']],
  ['http://x/', ['First']],
  ['nothing', []],
])('search: %s', async (query, found) => {
  await send('First', 'jo@example.com', 'see http://x/')
  await send('Second', 'kim@example.com')
  await send('An invitation', 'lee@example.com')
  expect(await subjects(query)).toEqual(found)
})

test('marks, tags, pages and deletes one or all emails', async () => {
  for (const subject of ['1', '2', '3']) await send(subject)
  const { messages } = await get('/api/v1/messages?start=1&limit=1')
  expect(messages.map((one: { Subject: string }) => one.Subject)).toEqual(['2'])
  const put = (path: string, body: unknown) => fetch(mail.url + path, { method: 'PUT', body: JSON.stringify(body) })
  expect(await (await put('/api/v1/messages', { IDs: [messages[0].ID], Read: true })).text()).toBe('ok')
  expect(await subjects('is:read')).toEqual(['2'])
  await put('/api/v1/tags', { IDs: [messages[0].ID], Tags: ['b', 'a', 'a'] })
  expect(await get('/api/v1/tags')).toEqual(['a', 'b'])
  expect(await subjects('tag:a')).toEqual(['2'])
  await fetch(`${mail.url}/api/v1/messages`, { method: 'DELETE', body: JSON.stringify({ IDs: [messages[0].ID] }) })
  expect(await subjects('is:unread')).toEqual(['3', '1'])
  await fetch(`${mail.url}/api/v1/search?query=subject:3`, { method: 'DELETE' })
  await fetch(`${mail.url}/api/v1/messages`, { method: 'DELETE' })
  expect(await get('/api/v1/info')).toMatchObject({ Messages: 0, Unread: 0, Tags: {} })
})

test('sends an email over HTTP', async () => {
  const body = { From: { Email: 'a@x.io', Name: 'A "quoted"' }, To: [{ Email: 'b@x.io' }], Subject: 'S', Text: 'T' }
  const answer = await fetch(`${mail.url}/api/v1/send`, { method: 'POST', body: JSON.stringify(body) })
  expect(await answer.json()).toEqual({ ID: (await get('/api/v1/message/latest')).ID })
  expect((await fetch(`${mail.url}/api/v1/send`, { method: 'POST', body: '{}' })).status).toBe(400)
})

test('keeps the newest 500 emails', async () => {
  for (let index = 0; index < 503; index += 1) await send(`mail ${index}`)
  const { total, messages } = await get('/api/v1/messages?limit=500')
  expect(total).toBe(500)
  expect(messages.at(-1).Subject).toBe('mail 3')
})

test('stores each email in its own file across restarts', async () => {
  await mail.close()
  mail = await start({ folder: join(folder, 'mail') })
  await send('Kept')
  await send('Read')
  const { ID } = await get('/api/v1/message/latest')
  await mail.close()
  expect(readdirSync(join(folder, 'mail')).sort()).toEqual([
    expect.stringMatching(/^\d+-[0-9a-f]{32}\.eml$/),
    expect.stringMatching(/^\d+-[0-9a-f]{32}\.read\.eml$/),
  ])
  mail = await start({ folder: join(folder, 'mail') })
  expect((await get('/api/v1/messages')).messages).toMatchObject([
    { ID, Subject: 'Read', Read: true },
    { Subject: 'Kept', Read: false },
  ])
})

test('sends to a real SMTP server if configured', async () => {
  const settings = { enabled: true, host: '127.0.0.1', port: mail.smtpPort ?? 0, user: 'u', pass: 'p' }
  const mailer = createSmtpMailer({ ...settings, admin_email: '', sender_name: '' })
  await mailer.send({ from: 'a@x.io', to: 'b@x.io', subject: 'Over the wire', html: '<b>x</b>', text: 'x' })
  mailer.close()
  expect(await get('/api/v1/message/latest')).toMatchObject({ Subject: 'Over the wire', Text: 'x' })
})

test('reports a port in use and leaves nothing open', async () => {
  const port = Number(new URL(mail.url).port)
  const taken = { host: '127.0.0.1', claimPort, clock, log, folder: null }
  await expect(startMail({ ...taken, httpPort: port, smtpPort: null })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  })
  await expect(startMail({ ...taken, httpPort: 0, smtpPort: port })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  })
})

describe('the page of the inbox', () => {
  test('has a content security policy that allows only its own script', async () => {
    const page = await fetch(mail.url)
    expect(await page.text()).toContain('sandbox="allow-popups allow-popups-to-escape-sandbox"')
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'")
    expect((await fetch(`${mail.url}/inbox.js`)).headers.get('content-type')).toContain('text/javascript')
  })

  test('is notified of a new email', async () => {
    const stop = new AbortController()
    const events = await fetch(`${mail.url}/events`, { signal: stop.signal })
    const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader()
    await reader?.read()
    await send('News')
    expect((await reader?.read())?.value).toContain('event: added')
    stop.abort()
  })
})

describe('hostile input', () => {
  test.each([
    '/view/..%2f..%2fetc%2fpasswd.html',
    '/api/v1/message/..%2f..%2fx/raw',
    '/inbox.html',
    '/page/inbox.html',
  ])('%s is not found', async (path) => expect((await fetch(mail.url + path)).status).toBe(404))

  test.each([
    [{ host: 'evil.example' }, 'GET', 403],
    [{ host: 'localhost:1' }, 'GET', 200],
    [{ host: 'mail.localhost' }, 'GET', 200],
    [{ host: '[::1]:54324' }, 'GET', 200],
    [{ host: '127.0.0.1.evil.example' }, 'GET', 403],
    [{ origin: 'http://evil.example' }, 'DELETE', 403],
    [{ origin: 'null' }, 'DELETE', 403],
    [{ origin: 'http://localhost:5173' }, 'DELETE', 200],
  ])('%j may %s: %d', async (headers, method, status) => {
    const answer = await new Promise<number | undefined>((resolve, reject) => {
      request(`${mail.url}/api/v1/messages`, { method, headers }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end()
    })
    expect(answer).toBe(status)
  })

  test("stores a malformed email, and doesn't run scripts in one", async () => {
    const transport = createTransport({ host: '127.0.0.1', port: mail.smtpPort ?? 0 })
    const envelope = { from: '', to: 'jo@example.com' }
    await transport.sendMail({ envelope, raw: Buffer.from([0, 255, 13, 10, 254]) })
    await transport.sendMail({ envelope, raw: 'Content-Type: text/html\r\n\r\n<script>alert(1)</script>' })
    transport.close()
    expect((await get('/api/v1/messages')).total).toBe(2)
    const view = await fetch(`${mail.url}/view/latest.html`)
    expect(view.headers.get('content-security-policy')).toMatch(/^sandbox allow-popups [^;]*; default-src 'none'/)
    expect(view.headers.get('content-security-policy')).not.toContain('allow-scripts')
  })
})
