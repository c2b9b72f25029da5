import { deepStrictEqual as equal } from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { bytesOf, GMAIL, OUTLOOK, plain } from '../../../tests/support/sample-mails.ts'
import type { Contents } from './contents.ts'
import type { Libraries, Verdict } from './library-mail.ts'
import type { Mail } from './mail.ts'
import { answerMail, type MailSettings } from './receiving.ts'

const URL = 'http://localhost/receive-mail'
const SECRET = 'a secret of its own for mails'
const SETTINGS: MailSettings = { domain: 'in.example.org', secret: SECRET, mailgunKey: 'key-of-webhooks' }
const ADDRESS = 'abcdefghijklmnopqrst'
const NOW = Date.parse('2026-03-05T12:00:00Z')

/** Libraries that record calls. @param verdicts By an address's secret. @param onAdd The verdict when adding. */
function librariesThat(verdicts: Record<string, Verdict>, onAdd: () => Verdict = () => 'open') {
  const done: ('found' | 'added' | 'refused')[] = []
  const added: { mail: Mail; contents: Contents }[] = []
  const libraries: Libraries = {
    findAddress: async (secret) => {
      const verdict = verdicts[secret]
      done.push('found')
      return verdict ? { id: crypto.randomUUID(), library: crypto.randomUUID(), verdict } : null
    },
    addMail: async (_, mail, contents) => {
      done.push('added')
      added.push({ mail, contents })
      return onAdd()
    },
    keepRefusal: async () => void done.push('refused'),
  }
  return { libraries, done, added }
}

const basic = { Authorization: `Basic ${btoa(`mail:${SECRET}`)}` }
const raw = (message: string, headers: HeadersInit = {}) =>
  new Request(URL, {
    method: 'POST',
    body: bytesOf(message) as Uint8Array<ArrayBuffer>,
    headers: { 'Content-Type': 'message/rfc822', Authorization: `Bearer ${SECRET}`, ...headers },
  })
const send = async (request: Request, { libraries }: { libraries: Libraries }, settings = SETTINGS) => {
  const answer = await answerMail(request, { settings, libraries, now: () => NOW })
  return [answer.status, await answer.json().then(({ code, result }) => code ?? result)]
}
const form = (fields: Record<string, string | Blob>, path = '', headers: HeadersInit = basic) => {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.append(name, value)
  return new Request(URL + path, { method: 'POST', body, headers })
}
const postmark = (body: unknown) =>
  new Request(URL, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...basic },
  })
const signed = (timestamp: number, key = 'key-of-webhooks') => ({
  timestamp: String(timestamp),
  token: 't0ken',
  signature: createHmac('sha256', key).update(`${timestamp}t0ken`).digest('hex'),
})

Deno.test('a raw message goes to the addresses in its headers, ignoring case', async () => {
  const library = librariesThat({ [ADDRESS]: 'open' })
  equal(await send(raw(OUTLOOK.replace(ADDRESS, ADDRESS.toUpperCase())), library), [200, 'added'])
  equal(
    library.added.map(({ mail: { sender, subject, sentAt } }) => [sender.address, subject, sentAt]),
    [['joerg@example.com', 'Angebot für Lampen', '2026-03-05T10:00:00.000Z']],
  )
})

Deno.test('the envelope takes precedence over the headers', async () => {
  const library = librariesThat({ [ADDRESS]: 'open' })
  equal(await send(raw(GMAIL, { 'X-Mail-To': 'other+22222222222222222222@in.example.org' }), library), [404, 'unknown'])
  equal(await send(raw(GMAIL.replaceAll(ADDRESS, ''), { 'X-Mail-To': `x+${ADDRESS}@in.example.org` }), library), [
    200,
    'added',
  ])
})

Deno.test('nothing is read without the secret', async () => {
  const library = librariesThat({ [ADDRESS]: 'open' })
  for (const Authorization of ['', 'Bearer no', `Bearer ${SECRET}x`, `Basic ${btoa(SECRET)}`, 'Basic %%%'])
    equal(await send(raw(GMAIL, { Authorization }), library), [401, 'unauthorized'])
  for (const secret of [undefined, '', 'short'])
    equal(await send(raw(GMAIL, { Authorization: `Bearer ${secret ?? ''}` }), library, { ...SETTINGS, secret }), [
      401,
      'unauthorized',
    ])
  equal(library.done, [])
})

Deno.test('raw messages of Postmark, SendGrid and Mailgun keep their bytes', async () => {
  const library = librariesThat({ [ADDRESS]: 'open' })
  const to = `x+${ADDRESS}@in.example.org`
  const latin = Uint8Array.from(bytesOf(plain('caf?', 'Content-Type: text/plain; charset=iso-8859-1')), (byte) =>
    byte === 0x3f ? 0xe9 : byte,
  )
  equal(await send(postmark({ RawEmail: GMAIL, OriginalRecipient: to, Subject: 'x' }), library), [200, 'added'])
  equal(await send(form({ email: new Blob([latin]), envelope: JSON.stringify({ to: [to], from: '' }) }), library), [
    200,
    'added',
  ])
  equal(library.added.at(-1)?.contents.note?.body, 'café')
  equal(await send(form({ 'body-mime': GMAIL, recipient: to }, '/mime'), library), [200, 'added'])
  const fields = new URLSearchParams({ 'body-mime': GMAIL, recipient: to, ...signed(NOW / 1000) })
  equal(await send(new Request(`${URL}/mime`, { method: 'POST', body: fields }), library), [200, 'added'])
})

Deno.test('key and time of a Mailgun signature are verified', async () => {
  const library = librariesThat({ [ADDRESS]: 'open' })
  for (const wrong of [
    signed(NOW / 1000, 'another'),
    signed(NOW / 1000 - 90_000),
    { ...signed(1), timestamp: 'x' },
    {},
  ])
    equal(await send(form({ 'body-mime': GMAIL, recipient: '', ...wrong }, '/mime', {}), library), [
      401,
      'unauthorized',
    ])
  equal(library.done, [])
})

Deno.test('a webhook without the raw message is answered with 415, so that the email is retried', async () => {
  const library = librariesThat({ [ADDRESS]: 'open' })
  for (const request of [
    postmark({ TextBody: 'x' }),
    postmark([]),
    form({ text: 'x' }),
    form({ 'body-plain': 'x' }, '/mime'),
  ])
    equal(await send(request, library), [415, 'unsupported'])
})

Deno.test('each service gets the status that stops its retries, and editors are notified', async () => {
  const library = librariesThat({ [ADDRESS]: 'sender' })
  const envelope = JSON.stringify({ to: [`x+${ADDRESS}@in.example.org`] })
  equal(await send(raw(GMAIL), library), [403, 'sender'])
  equal(await send(postmark({ RawEmail: GMAIL }), library), [403, 'sender'])
  equal(await send(form({ 'body-mime': GMAIL }, '/mime'), library), [406, 'sender'])
  equal(await send(form({ email: GMAIL, envelope }), library), [200, 'sender'])
  equal(library.done, Array.from({ length: 4 }, () => ['found', 'refused']).flat())
  equal(await send(form({ email: GMAIL, envelope }), librariesThat({})), [200, 'unknown'])
  const many = `Content-Type: multipart/mixed; boundary=a\nTo: x+${ADDRESS}@y\n\n${'--a\nContent-Type: image/png\n\nx\n'.repeat(51)}--a--`
  equal(await send(raw(many), librariesThat({ [ADDRESS]: 'open' })), [422, 'attachments'])
})

Deno.test('temporary errors are retried: a busy library, an unavailable database', async () => {
  const gone = () => {
    throw new Error('gone')
  }
  equal(await send(form({ email: GMAIL }), librariesThat({ [ADDRESS]: 'busy' })), [503, 'busy'])
  equal(await send(raw(GMAIL), librariesThat({ [ADDRESS]: 'open' }, gone)), [503, 'unavailable'])
})

Deno.test('a known email is accepted, and so is one that only one of two libraries accepts', async () => {
  equal(await send(raw(GMAIL), librariesThat({ [ADDRESS]: 'known' })), [200, 'known'])
  equal(
    await send(
      raw(GMAIL),
      librariesThat({ [ADDRESS]: 'open' }, () => 'known'),
    ),
    [200, 'known'],
  )
  const two = GMAIL.replace('To: ', 'Cc: x+22222222222222222222@in.example.org\nTo: ')
  equal(await send(raw(two), librariesThat({ [ADDRESS]: 'off', '22222222222222222222': 'open' })), [200, 'added'])
})

Deno.test('an email over 25 MB is rejected before reading', async () => {
  const library = librariesThat({ [ADDRESS]: 'open' })
  equal(await send(raw(`${GMAIL}${'x'.repeat(26_300_000)}`), library), [413, 'large'])
  equal(library.done, [])
})

Deno.test('the app receives the domain once email is set up', async () => {
  const domain = async (settings: MailSettings) => {
    const { libraries } = librariesThat({})
    return (await (await answerMail(new Request(URL), { settings, libraries, now: () => NOW })).json()).domain
  }
  equal(await domain(SETTINGS), 'in.example.org')
  equal(await domain({ ...SETTINGS, domain: undefined }), null)
  equal(await domain({ ...SETTINGS, domain: 'in.example.org/x' }), null)
  equal(await domain({ domain: 'in.example.org', secret: 'short', mailgunKey: undefined }), null)
  equal(await domain({ domain: 'in.example.org', secret: undefined, mailgunKey: undefined }), null)
})
