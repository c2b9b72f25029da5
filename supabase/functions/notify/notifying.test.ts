import type { Mail } from '../_shared/mail/smtp.ts'
import { answerUnsubscribe } from '../unsubscribe/unsubscribe-mail.ts'
import { type Entry, mailOf, Owed } from './notification-mail.ts'
import { mailNotifications } from './notifying.ts'

const ID = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001'
const OTHER = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0002'
const SITE = 'https://carrel.example'
const ADDRESSES = { site: SITE, unsubscribe: 'https://api.example/unsubscribe' }
const MENTION: Entry = {
  kind: 'mention',
  library_id: ID,
  document_id: OTHER,
  comment_id: ID,
  search_id: null,
  actors: ['Ada Lovelace'],
  amount: 1,
  failed: 0,
  library: 'Reading room',
  title: 'Lamps',
  body: `Look, @[Mary Somerville](${ID}):\nit <b>burns</b>.`,
  search: null,
  rule: null,
}
const IMPORT: Entry = {
  ...MENTION,
  kind: 'import',
  document_id: null,
  comment_id: null,
  title: null,
  body: null,
  amount: 1998,
  failed: 2,
}
const REQUEST: Entry = { ...IMPORT, kind: 'request', title: 'Offers for lamps', amount: 2, failed: 0 }
const owed = (...entries: [Entry, ...Entry[]]): Owed =>
  Owed.parse({ mail: OTHER, email: 'mary@example.org', locale: 'en', token: 'a-b', total: entries.length, entries })

function assertEquals(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`${JSON.stringify(actual)}\nis not\n${JSON.stringify(expected)}`)
  }
}

Deno.test('a single notification has its own email, with text and link', () => {
  const { subject, text, html, headers, messageId } = mailOf(owed(MENTION), ADDRESSES)
  assertEquals(subject, 'Ada Lovelace mentions you in a comment: “Lamps”')
  assertEquals(
    text,
    'Ada Lovelace mentions you in a comment. This is in the library “Reading room”.\n\n> Look, @Mary Somerville:\n> it <b>burns</b>.\n\n' +
      `Open:\n${SITE}/l/${ID}/d/${OTHER}?comment=${ID}\n\n` +
      `You’re getting this email because you turned on notifications. Change or stop them in your profile: ${SITE}/settings/profile`,
  )
  assertEquals(html.includes('it &lt;b&gt;burns&lt;/b&gt;.'), true)
  assertEquals(headers, {
    'List-Unsubscribe': '<https://api.example/unsubscribe?token=a-b>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  })
  assertEquals(messageId, `<notification-${OTHER}@carrel.example>`)
})

Deno.test("several notifications are listed by library, in the recipient's language", () => {
  const { subject, text, html } = mailOf({ ...owed(MENTION, IMPORT), locale: 'de' }, ADDRESSES)
  assertEquals(subject, '2 Benachrichtigungen')
  assertEquals(
    text.startsWith(
      `Reading room\n\nLamps\nAda Lovelace erwähnt Sie in einem Kommentar\n> Look, @Mary Somerville:\n> it <b>burns</b>.\n${SITE}/l/${ID}/d/${OTHER}?comment=${ID}\n\n` +
        `Import\n2 Dokumente konnten nicht eingelesen werden, 1998 sind eingelesen\n${SITE}/l/${ID}\n\n`,
    ),
    true,
  )
  assertEquals([html.includes('<html lang="de" dir="ltr">'), html.match(/Reading room/g)?.length], [true, 1])
})

Deno.test('files from a request are announced with its title, unless it is hidden', () => {
  assertEquals(mailOf(owed(REQUEST), ADDRESSES).subject, '2 files have arrived: “Offers for lamps”')
  const hidden = { ...REQUEST, amount: 1, title: null, library: null }
  assertEquals(mailOf(owed(hidden), ADDRESSES).subject, 'A file has arrived')
})

Deno.test('a notification by a rule names the rule', () => {
  const told = { ...MENTION, kind: 'rule' as const, comment_id: null, body: null, rule: 'Invoices' }
  assertEquals(mailOf(owed(told), ADDRESSES).subject, 'The rule “Invoices” notified you about a document: “Lamps”')
  assertEquals(
    mailOf(owed({ ...told, rule: null, title: null, library: null }), ADDRESSES).subject,
    'A rule notified you about a document',
  )
})

Deno.test('an Arabic email is right to left, with isolated names', () => {
  const { subject, html } = mailOf({ ...owed(MENTION), locale: 'ar' }, ADDRESSES)
  assertEquals(subject, 'أشار إليك \u2068Ada Lovelace\u2069 في تعليق: «\u2068Lamps\u2069»')
  assertEquals(html.includes('<html lang="ar" dir="rtl">'), true)
  assertEquals(
    mailOf({ ...owed(IMPORT), locale: 'ar' }, ADDRESSES).subject,
    'تعذّرت قراءة مستندين، واكتملت قراءة 1998 مستندًا',
  )
})

Deno.test('all authors of a note are named', () => {
  const note = { ...MENTION, comment_id: null, body: null, actors: ['Ada', 'Ben'] }
  const subjectIn = (locale: string, entry: Entry) => mailOf({ ...owed(entry), locale }, ADDRESSES).subject
  assertEquals(subjectIn('en', note), 'Ada and Ben mention you in a note: “Lamps”')
  assertEquals(subjectIn('en', { ...note, actors: ['Ada'] }), 'Ada mentions you in a note: “Lamps”')
  assertEquals(subjectIn('en', { ...note, actors: [] }), 'Someone mentions you in a note: “Lamps”')
  assertEquals(subjectIn('de', note), 'Ada und Ben erwähnen Sie in einer Notiz: „Lamps“')
  assertEquals(subjectIn('ar', note), 'أشار إليك \u2068Ada\u2069 و\u2068Ben\u2069 في ملاحظة: «\u2068Lamps\u2069»')
})

Deno.test('an email about a library that requires a second factor reveals nothing', () => {
  const hidden = { ...MENTION, library: null, title: null, body: null }
  for (const mail of [mailOf(owed(hidden), ADDRESSES), mailOf(owed(hidden, hidden), ADDRESSES)]) {
    assertEquals(/Lamps|Reading room|burns/.test(mail.subject + mail.text + mail.html), false)
  }
})

Deno.test('names and titles cannot add lines or headers', () => {
  const { subject } = mailOf(
    owed({ ...MENTION, actors: ['Ada\r\nBcc: all@example.org'], title: `a\u202eb${'c'.repeat(400)}` }),
    ADDRESSES,
  )
  assertEquals([/[\r\n\u202e]/.test(subject), subject.length], [false, 150])
})

Deno.test('sent emails are marked as done, failed ones are not, and a dead server ends the call', async () => {
  const ended: unknown[] = []
  const sent: Mail[] = []
  const gone = { ...owed(MENTION), email: 'gone@example.org', mail: ID }
  const due = [owed(MENTION), gone, owed(IMPORT), gone, gone, gone, owed(MENTION)]
  const take = () => Promise.resolve(due.shift() ?? null)
  const end = (mail: string) => Promise.resolve(void ended.push(mail))
  const send = (mail: Mail) => {
    if (mail.to === gone.email) return Promise.reject(new Error('550 no such mailbox'))
    sent.push(mail)
    return Promise.resolve()
  }
  assertEquals(await mailNotifications({ take, send, end, ...ADDRESSES }), { mailed: 2 })
  assertEquals(sent.length, 2)
  assertEquals(ended, [OTHER, OTHER])
})

Deno.test('no email is started after the time limit', async () => {
  let time = 0
  const now = () => (time += 30_000)
  const take = () => Promise.resolve(owed(MENTION))
  const done = () => Promise.resolve()
  assertEquals(await mailNotifications({ take, send: done, end: done, ...ADDRESSES, now }), { mailed: 1 })
})

Deno.test('unsubscribing requires a POST', async () => {
  const deps = { unsubscribe: (token: string) => Promise.resolve(token === 'known'), site: `${SITE}/` }
  const status = async (method: string, search: string) =>
    (await answerUnsubscribe(new Request(`https://api.example/unsubscribe${search}`, { method }), deps)).status
  assertEquals(
    [
      await status('POST', '?token=known'),
      await status('POST', '?token=other'),
      await status('POST', ''),
      await status('GET', '?token=known'),
      await status('DELETE', '?token=known'),
    ],
    [200, 404, 400, 303, 405],
  )
})
