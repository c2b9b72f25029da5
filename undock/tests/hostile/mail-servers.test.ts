// The SMTP server with clients that violate the protocol, and Auth's emails with hostile addresses and metadata.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type MailService, startMail } from '../../src/mail/index.ts'
import { startTestAuth } from '../../src/testing/auth.ts'

const logged: string[] = []
let mail: MailService
let sockets: Socket[] = []
beforeEach(async () => {
  logged.length = 0
  mail = await startMail({
    host: '127.0.0.1',
    claimPort: (port, _what, take) => take(port),
    httpPort: 0,
    smtpPort: 0,
    clock: { now: () => new Date() },
    log: { info() {}, warn() {}, error: (message, error) => void logged.push(`${message} ${error}`) },
    folder: null,
  })
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets = []
  await mail.close()
  expect(logged).toEqual([])
})

function open(port: number | null): Socket {
  const socket = connect(port ?? 0, '127.0.0.1').on('error', () => undefined)
  sockets.push(socket)
  return socket
}

type Said = readonly (string | Buffer)[]

/** Sends everything after the greeting. @returns the server's replies until it closes the connection */
async function tell(port: number | null, ...said: Said): Promise<string> {
  return say(port, said, { isEarly: false })
}

async function say(port: number | null, said: Said, { isEarly }: { readonly isEarly: boolean }): Promise<string> {
  const socket = open(port)
  let heard = ''
  socket.on('data', (chunk) => {
    heard += chunk.toString('latin1')
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  if (!isEarly) await Promise.race([new Promise((resolve) => socket.once('data', resolve)), closed])
  for (const piece of said) {
    if (socket.destroyed || socket.readableEnded) break
    await new Promise<void>((resolve) => socket.write(piece, () => resolve()))
  }
  await closed
  return heard
}

const inbox = async () =>
  (await (await fetch(`${mail.url}/api/v1/messages`)).json()) as { total: number; messages: { Subject: string }[] }
const raw = async () => (await fetch(`${mail.url}/api/v1/message/latest/raw`)).text()

const HELLO = 'EHLO x\r\nMAIL FROM:<a@x.test>\r\nRCPT TO:<b@x.test>\r\nDATA\r\n'

describe('SMTP', () => {
  test('drops a client that sends before the greeting, and runs pipelined commands once', async () => {
    const whole = `${HELLO}Subject: early\r\n\r\nx\r\n.\r\nQUIT\r\n`
    expect(await say(mail.smtpPort, [whole], { isEarly: true })).toMatch(/^421 .*\r\n$/)
    expect((await inbox()).total).toBe(0)
    const heard = await tell(mail.smtpPort, whole)
    expect(heard.match(/^\d{3} /gm)).toEqual(['220 ', '250 ', '250 ', '250 ', '354 ', '250 ', '221 '])
    expect(await inbox()).toMatchObject({ total: 1, messages: [{ Subject: 'early' }] })
  })

  const SECOND = 'MAIL FROM:<eve@x.test>\r\nRCPT TO:<b@x.test>\r\nDATA\r\nSubject: smuggled\r\n\r\nx'
  test.each([
    '\r\n.\n',
    '\n.\r\n',
    '\n.\n',
    '\r.\r',
    '\r\n.\r',
    '\r.\r\n',
    '\n\n.\r\r\n',
    '\r\n\0.\r\n',
    '\r\n..\r\n',
    '\r\n. \r\n',
  ])("doesn't end an email at %j, however it is split", async (end) => {
    const whole = `${HELLO}Subject: first\r\n\r\none${end}${SECOND}\r\n.\r\nQUIT\r\n`
    await tell(mail.smtpPort, whole)
    await tell(mail.smtpPort, ...whole.split(/(?=[\r\n.])/))
    const { total, messages } = await inbox()
    expect([total, ...messages.map(({ Subject }) => Subject)]).toEqual([2, 'first', 'first'])
    expect(await raw()).toContain('MAIL FROM:<eve@x.test>')
  })

  test("ignores SMTP commands in the body of a browser's request", async () => {
    const body = `${HELLO}Subject: forged\r\n\r\nx\r\n.\r\nQUIT\r\n`
    const head = `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${body.length}\r\n\r\n`
    expect(await tell(mail.smtpPort, head + body)).toContain('421 HTTP requests not allowed')
    expect((await inbox()).total).toBe(0)
  })

  test('drops a client that sends an endless line or invalid commands', async () => {
    const endless = Array.from({ length: 200 }, () => Buffer.alloc(65_536, 0x41))
    await tell(mail.smtpPort, 'EHLO x\r\n', ...endless)
    await tell(mail.smtpPort, 'EHLO x\r\nMAIL FROM:<', ...endless)
    expect(await tell(mail.smtpPort, 'X\r\n'.repeat(10_000))).toContain('421 ')
  })

  test('accepts a thousand recipients at most', async () => {
    const recipients = Array.from({ length: 5_000 }, (_, n) => `RCPT TO:<r${n}@x.test>\r\n`).join('')
    const heard = await tell(
      mail.smtpPort,
      `EHLO x\r\nMAIL FROM:<a@x.test>\r\n${recipients}DATA\r\nSubject: many\r\n\r\nx\r\n.\r\nQUIT\r\n`,
    )
    expect(heard.match(/^452 /gm)).toHaveLength(4_000)
    const { Bcc } = (await (await fetch(`${mail.url}/api/v1/message/latest`)).json()) as { Bcc: unknown[] }
    expect(Bcc).toHaveLength(1_000)
  })

  test('rejects an email that is too large, by announced or actual size', async () => {
    const announced = await tell(mail.smtpPort, 'EHLO x\r\nMAIL FROM:<a@x.test> SIZE=999999999\r\nQUIT\r\n')
    expect(announced).toMatch(/^552 /m)
    const large = Array.from({ length: 27 }, () => Buffer.alloc(1024 * 1024, `${'a'.repeat(76)}\r\n`))
    const heard = await tell(mail.smtpPort, HELLO, ...large, '\r\n.\r\nQUIT\r\n')
    expect(heard).toMatch(/^552 /m)
    expect((await inbox()).total).toBe(0)
  })

  test.each([
    'MAIL FROM:<a@x.test\rX-Forged: yes>',
    'MAIL FROM:<a@x.test>\rRCPT TO:<b@x.test>',
    'MAIL FROM:<"a\\\nX-Forged: yes"@x.test>',
    'MAIL FROM:<a\0@x.test>',
  ])('%j injects no header into an email', async (from) => {
    await tell(mail.smtpPort, `EHLO x\r\n${from}\r\nRCPT TO:<b@x.test>\r\nDATA\r\nSubject: x\r\n\r\nx\r\n.\r\nQUIT\r\n`)
    if ((await inbox()).total === 0) return
    const { Subject, ...headers } = (await (
      await fetch(`${mail.url}/api/v1/message/latest/headers`)
    ).json()) as object & {
      Subject?: string[]
    }
    expect([Subject, Object.keys(headers).includes('X-Forged')]).toEqual([['x'], false])
  })

  test('serves other clients while some are slow, up to a limit', async () => {
    const slow = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const socket = open(mail.smtpPort)
        await once(socket, 'data')
        socket.write('EHLO x')
        return socket
      }),
    )
    expect(await tell(mail.smtpPort, '')).toMatch(/^421 /)
    expect((await inbox()).total).toBe(0)
    slow[0]?.destroy()
    await expect.poll(() => tell(mail.smtpPort, `${HELLO}Subject: in time\r\n\r\nx\r\n.\r\nQUIT\r\n`)).toMatch(/^221 /m)
    expect((await inbox()).total).toBe(1)
  })
})

test("users who sign up can't inject headers or markup into an email", async () => {
  const auth = await startTestAuth(`
[auth]
site_url = "https://app.test"
[auth.email]
enable_confirmations = true
[auth.email.template.confirmation]
subject = "Welcome, {{ .Data.name }} {{ .Data.list }} {{ .Email }}"
`)
  try {
    const breaks = ['\r\n', '\n', '\r', '\u0085', '\u2028', '\u0000'.slice(1), '\v', '\f', '=?utf-8?Q?=0D=0A?=']
    for (const [n, character] of breaks.entries()) {
      const email = `n${n}@example.com`
      const name = `Ada${character}Bcc: eve@x.test${character}${character}<script>alert(1)</script>`
      const { error } = await auth.client().auth.signUp({
        email,
        password: 'correct horse',
        options: { data: { name, list: [`x${character}Cc: eve@x.test`] } },
      })
      expect(error).toBeNull()
      await mail.mailer.send(auth.mailTo(email))
      const latest = (await (await fetch(`${mail.url}/api/v1/message/latest`)).json()) as Record<string, unknown[]>
      expect([latest.Cc ?? [], latest.Bcc ?? [], latest.To]).toEqual([[], [], [{ Name: '', Address: email }]])
      expect(String(latest.HTML)).not.toContain('<script>')
      const heads = (await raw()).split('\r\n\r\n')[0] ?? ''
      expect(heads.split('\r\n').filter((line) => /^(bcc|cc):/i.test(line))).toEqual([])
    }
    for (const email of [
      'a@x.test\r\nBcc: eve@x.test',
      '"a\n"@x.test',
      'a@x.test,eve@x.test',
      'Eve <eve@x.test>',
      'a@x.test\0',
    ]) {
      const { error } = await auth.client().auth.signUp({ email, password: 'correct horse' })
      expect([email, error?.status]).toEqual([email, 400])
    }
  } finally {
    await auth.close()
  }
})
