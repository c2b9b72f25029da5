import { once } from 'node:events'
import { connect } from 'node:net'
import { createTransport } from 'nodemailer'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type MailOptions, type MailService, startMail } from './index.ts'

const logged: string[] = []
const log = {
  info() {},
  warn() {},
  error: (message: string, error: unknown) => void logged.push(`${message} ${error}`),
}

const claimPort: MailOptions['claimPort'] = (port, _what, take) => take(port)

let mail: MailService
beforeEach(async () => {
  logged.length = 0
  const clock = { now: () => new Date() }
  mail = await startMail({
    host: '127.0.0.1',
    claimPort,
    httpPort: 0,
    smtpPort: 0,
    clock,
    log,
    folder: null,
  })
})
afterEach(() => mail.close().catch(() => undefined))

async function receive(raw: string | Buffer): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port: mail.smtpPort ?? 0 })
  await transport.sendMail({ envelope: { from: 'a@x.test', to: 'jo@x.test' }, raw })
  transport.close()
}

const partOf = (headers: string): string =>
  `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${headers}\r\n\r\n<script>alert(1)</script>\r\n--b--\r\n`

test.each([
  ['a type with a quote and a bracket', 'Content-Type: text/"><script>; name=x.html'],
  ['a type in non-ASCII letters', 'Content-Type: text/\u0444\u00e9\u4e2d; name=x'],
  ['a type with a control character', 'Content-Type: text/\u0001html; name=x'],
  ['no type at all', 'Content-Type: ;;;;\r\nContent-Disposition: inline'],
  [
    'an encoded line break in its name',
    "Content-Disposition: attachment; filename*=UTF-8''a%0D%0Aset-cookie:%20a=b.html",
  ],
  ['a name with a parent path', 'Content-Disposition: attachment; filename="../../../../etc/passwd"'],
  ['a lone surrogate as its name', "Content-Disposition: attachment; filename*=UTF-16''%D8%00.html"],
  ['an inline HTML page', 'Content-Type: text/html; name=x.html\r\nContent-Disposition: inline; filename=x.html'],
  ['an inline SVG', 'Content-Type: image/svg+xml\r\nContent-Disposition: inline\r\nContent-ID: <"><script>>'],
])('responds to a part with %s and runs nothing', async (_name, headers) => {
  await receive(Buffer.from(partOf(headers)))
  for (const path of ['/api/v1/message/latest', '/view/latest.html', '/view/latest.txt'])
    expect([path, (await fetch(mail.url + path)).status]).toEqual([path, 200])
  const part = await fetch(`${mail.url}/api/v1/message/latest/part/1`)
  // The part that the parser uses as text isn't an attachment.
  if (part.status !== 404) {
    expect(part.status).toBe(200)
    expect(part.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/)
    expect(part.headers.get('x-content-type-options')).toBe('nosniff')
    expect(part.headers.get('set-cookie')).toBeNull()
  }
  expect(logged).toEqual([])
})

test.each([
  ['Subject', 'Subject: =?utf-8?Q?a=0D=0ABcc:_eve@x.test?=\r\n\r\nx'],
  ['From', 'From: "=?utf-8?Q?a=0D=0AX:_y?=" <a@x.test>\r\n\r\nx'],
  ['10,000 headers', `${Array.from({ length: 10_000 }, (_, n) => `X-${n}: ${n}`).join('\r\n')}\r\n\r\nx`],
  ['a header named __proto__', '__proto__: polluted\r\nconstructor: x\r\n\r\nx'],
  [
    '200 parts within each other',
    `${Array.from({ length: 200 }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}`).join('\r\n')}\r\n\r\nx`,
  ],
])('hostile %s', async (_name, raw) => {
  await receive(raw)
  for (const path of [
    '/api/v1/messages',
    '/api/v1/message/latest',
    '/api/v1/message/latest/headers',
    '/view/latest.txt',
  ])
    expect([path, (await fetch(mail.url + path)).status]).toEqual([path, 200])
  const { total } = (await (await fetch(`${mail.url}/api/v1/messages`)).json()) as { total: number }
  expect([total, logged]).toEqual([1, []])
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
})

test('stores an email of many short lines quickly and completely', async () => {
  const raw = Buffer.from(`Subject: lines\r\n\r\n${'a\r\n'.repeat(100_000)}`)
  const order: string[] = []
  await Promise.all([
    receive(raw).then(() => order.push('long')),
    fetch(`${mail.url}/livez`).then(() => order.push('page')),
    receive(Buffer.from('Subject: short\r\n\r\nx')).then(() => order.push('short')),
  ])
  expect(order.at(-1)).toBe('long')
  const { messages } = (await (await fetch(`${mail.url}/api/v1/messages`)).json()) as {
    messages: { Subject: string }[]
  }
  expect(messages.map(({ Subject }) => Subject)).toEqual(['lines', 'short'])
  const whole = await (await fetch(`${mail.url}/api/v1/message/latest/raw`)).text()
  expect(whole.endsWith('a\r\na\r\n')).toBe(true)
  expect(whole.length).toBeGreaterThanOrEqual(raw.length)
})

test("a connected client doesn't delay closing", async () => {
  const socket = connect(mail.smtpPort ?? 0, '127.0.0.1').on('error', () => undefined)
  await once(socket, 'data')
  const ended = once(socket, 'close')
  await mail.close()
  await ended
})

test('an isolated view includes its images and runs and loads nothing', async () => {
  const related = 'Content-Type: multipart/related; boundary=b\r\n\r\n'
  const html = '--b\r\nContent-Type: text/html\r\n\r\n<img src="cid:pixel"><img src="cid:page">\r\n'
  const image = '--b\r\nContent-Type: image/gif\r\nContent-ID: <pixel>\r\nContent-Disposition: inline\r\n\r\nGIF$&\r\n'
  const page =
    '--b\r\nContent-Type: text/html\r\nContent-ID: <page>\r\nContent-Disposition: inline\r\n\r\n<b>\r\n--b--\r\n'
  await receive(Buffer.from(related + html + image + page))
  const view = await fetch(`${mail.url}/view/latest.html?remote=off`)
  const body = await view.text()
  expect(body).toMatch(/<img src="data:image\/gif;base64,R0lGJCY[\w+/]*=*">/)
  expect(body).not.toContain('data:text/html')
  const policy = view.headers.get('content-security-policy') ?? ''
  expect(policy).toMatch(/^sandbox; default-src 'none'; img-src data:;/)
  expect(policy).not.toMatch(/allow-|\*/)
})

test('lists an email with unclosed tags', async () => {
  const html = (body: string) => Buffer.from(`Subject: open\r\nContent-Type: text/html\r\n\r\n${body}\r\n`)
  await receive(html(`Words${'<a href="'.repeat(8_000)}`))
  await receive(html(`Words${'<style>\n'.repeat(1_000)}`))
  await receive(html(`Words<${'a'.repeat(500_000)}`))
  const { messages } = await (await fetch(`${mail.url}/api/v1/messages`)).json()
  expect(messages.map(({ Snippet }: { Snippet: string }) => Snippet)).toEqual(['Words', 'Words', 'Words'])
})
