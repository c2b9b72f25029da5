import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import Pop3Client from 'node-pop3'
import { createTransport } from 'nodemailer'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../kernel/service.ts'
import { type MailOptions, type MailService, startMail } from '../index.ts'

const log = { info() {}, warn() {}, error: (message: string) => void logged.push(message) }
const claimPort: MailOptions['claimPort'] = (port, _what, take) => take(port)

let logged: string[] = []
let mail: MailService

beforeEach(async () => {
  logged = []
  mail = await startMail({
    claimPort,
    host: '127.0.0.1',
    httpPort: 0,
    smtpPort: 0,
    pop3Port: 0,
    clock: systemClock,
    log,
    folder: null,
  })
})
afterEach(async () => {
  await mail.close()
  expect(logged).toEqual([])
})

const client = () =>
  new Pop3Client({ host: '127.0.0.1', port: mail.pop3Port ?? 0, user: 'anybody', password: 'any', timeout: 10_000 })
const send = (subject: string, html = `<p>${subject}</p>`) =>
  mail.mailer.send({ from: 'admin@email.com', to: 'jo@example.com', subject, html })
const remaining = async () => (await (await fetch(`${mail.url}/api/v1/messages`)).json()).total
async function sendRaw(raw: string | Buffer): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port: mail.smtpPort ?? 0 })
  await transport.sendMail({ envelope: { from: '', to: 'jo@example.com' }, raw })
  transport.close()
}

describe('a client', () => {
  test('lists the mails, oldest first, with the sizes and ids that the inbox has', async () => {
    await send('one')
    await send('two')
    const { messages } = await (await fetch(`${mail.url}/api/v1/messages`)).json()
    const [two, one] = messages
    const pop3 = client()
    expect(await pop3.LIST()).toEqual([
      ['1', String(one.Size)],
      ['2', String(two.Size)],
    ])
    expect(await pop3.UIDL()).toEqual([
      ['1', one.ID],
      ['2', two.ID],
    ])
    expect(await pop3.UIDL(2)).toEqual(['2', two.ID])
    expect(await pop3.STAT()).toBe(`2 ${one.Size + two.Size}`)
    expect(await pop3.RETR(1)).toContain('Subject: one\r\n')
    await pop3.QUIT()
  })

  test('reads a mail byte by byte as it was sent, and its first lines', async () => {
    const body = ['first', '.', '..dots', '', 'Grüße', 'last'].join('\r\n')
    await sendRaw(Buffer.from(`Subject: dots\r\nTo: jo@example.com\r\n\r\n${body}\r\n`))
    const pop3 = client()
    // The client leaves it to its caller to remove the second dot at the beginning of a line.
    const read = (await pop3.RETR(1)).replaceAll('\r\n..', '\r\n.')
    expect(read.slice(read.indexOf('\r\n\r\n') + 4).trimEnd()).toBe(body)
    expect((await pop3.TOP(1, 1)).trimEnd()).toBe('Subject: dots\r\nTo: jo@example.com\r\n\r\nfirst')
    await pop3.QUIT()
  })

  test('deletes mails when it quits, and not before', async () => {
    for (const subject of ['one', 'two', 'three']) await send(subject)
    const first = client()
    await first.DELE(1)
    await expect(first.RETR(1)).rejects.toThrow('no such message')
    expect(await first.STAT()).toMatch(/^2 /)
    await first.RSET()
    expect(await first.STAT()).toMatch(/^3 /)
    await first.DELE(2)
    expect(await remaining()).toBe(3)
    await first.QUIT()
    expect(await remaining()).toBe(2)
    const second = client()
    expect(await second.RETR(2)).toContain('Subject: three')
    await second.QUIT()
  })

  test('is told of numbers that are none, and of mails that were removed meanwhile', async () => {
    await send('one')
    const pop3 = client()
    expect(await pop3.LIST()).toHaveLength(1)
    for (const number of [0, 2, 'x', '1e0', '-1']) await expect(pop3.LIST(number)).rejects.toThrow('no such message')
    await fetch(`${mail.url}/api/v1/messages`, { method: 'DELETE' })
    await expect(pop3.RETR(1)).rejects.toThrow('no such message')
    await pop3.QUIT()
  })

  test('finds an empty inbox', async () => {
    const pop3 = client()
    expect([await pop3.STAT(), await pop3.LIST()]).toEqual(['0 0', []])
    await pop3.QUIT()
  })
})

describe('a connection', () => {
  const open = async (): Promise<Socket> => {
    const socket = connect(mail.pop3Port ?? 0, '127.0.0.1').on('error', () => undefined)
    await once(socket, 'connect')
    return socket
  }
  /** Everything that the server says until it closes the connection. */
  const conversation = async (sent: string | Buffer): Promise<string> => {
    const socket = await open()
    socket.write(sent)
    let said = ''
    for await (const chunk of socket) said += chunk
    return said
  }

  test('answers several commands at once, with either line break, and tells its capabilities', async () => {
    expect(await conversation('capa\r\nUSER a\nPASS b\r\nNOOP\r\nHELP\r\nQUIT\r\n')).toBe(
      '+OK ready\r\n+OK \r\nUSER\r\nTOP\r\nUIDL\r\n.\r\n+OK any password will do\r\n+OK 0 messages\r\n+OK \r\n' +
        '-ERR unknown command\r\n+OK bye\r\n',
    )
  })

  test('needs a login', async () => {
    expect(await conversation('PASS b\r\nSTLS\r\nQUIT\r\n')).toBe(
      '+OK ready\r\n-ERR USER comes first\r\n-ERR log in by USER and PASS, without TLS\r\n+OK bye\r\n',
    )
    expect(await conversation('DELE 1\r\nUSER a\r\n')).toBe('+OK ready\r\n-ERR unknown command\r\n')
  })

  test('takes no commands from the body of a request of a web page', async () => {
    await send('kept')
    await conversation('POST / HTTP/1.1\r\nHost: x\r\n\r\nUSER a\r\nPASS b\r\nDELE 1\r\nQUIT\r\n')
    expect(await remaining()).toBe(1)
  })

  test.each([
    ['with a line break', `USER ${'a'.repeat(300)}\r\n`],
    ['without one', Buffer.alloc(10_000, 'a')],
  ])('ends at a line that is too long, %s', async (_name, sent) => {
    expect(await conversation(sent)).toBe('+OK ready\r\n-ERR the line is too long\r\n')
  })

  test('is refused when there are too many', async () => {
    const sockets = await Promise.all(Array.from({ length: 10 }, open))
    expect(await conversation('QUIT\r\n')).toBe('-ERR [SYS/TEMP] too many connections\r\n')
    const [first] = sockets
    first?.destroy()
    if (first) await once(first, 'close')
    await expect.poll(() => conversation('QUIT\r\n')).toBe('+OK ready\r\n+OK bye\r\n')
    for (const socket of sockets) socket.destroy()
  })

  test('that stays open does not delay closing', async () => {
    const socket = await open()
    const closed = once(socket.resume(), 'close')
    await mail.close()
    await closed
  })

  test('that ends in the middle of a mail harms nobody', async () => {
    await sendRaw(
      Buffer.concat([Buffer.from('Subject: large\r\n\r\n'), Buffer.alloc(4_000_000, `${'a'.repeat(76)}\r\n`)]),
    )
    const socket = await open()
    socket.write('USER a\r\nPASS b\r\nRETR 1\r\nRETR 1\r\n')
    await once(socket, 'data')
    socket.destroy()
    const pop3 = client()
    expect(await pop3.STAT()).toMatch(/^1 4\d{6}$/)
    await pop3.QUIT()
  })
})
