import type { SupabaseClient } from '@supabase/supabase-js'
import { Refusal } from '../_shared/http.ts'
import { type Mail, mailSettings } from '../_shared/mail/settings.ts'
import { mailOf } from './mention-mail.ts'
import { mailMentions } from './mentioning.ts'

const ID = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001'
const OTHER = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0002'
const OWED = {
  user_id: ID,
  email: 'mary@example.org',
  library_id: ID,
  document_id: OTHER,
  author_name: 'Ada Lovelace',
  library_name: 'Reading room',
  title: 'Lamps',
  body: `Look, @[Mary Somerville](${ID}):\nit burns.`,
  locale: 'en',
}
const SITE = 'https://carrel.example'

function assertEquals(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`${JSON.stringify(actual)}\nis not\n${JSON.stringify(expected)}`)
  }
}

type Asked = [name: string, parameters: unknown][]
const answering = (asked: Asked, answers: Record<string, unknown>) =>
  ({
    rpc: (name: string, parameters: unknown) => {
      asked.push([name, parameters])
      return { throwOnError: () => Promise.resolve({ data: answers[name] ?? null }) }
    },
  }) as unknown as SupabaseClient

function deps(asked: Asked, author: string | null, owed: object[], refused: string[] = []) {
  const sent: Mail[] = []
  const send = (mail: Mail) => {
    if (refused.includes(mail.to)) return Promise.reject(new Error('550 no such mailbox'))
    sent.push(mail)
    return Promise.resolve()
  }
  return {
    sent,
    caller: answering(asked, { author_of: author }),
    service: answering(asked, { take_mention_mails: owed }),
    send,
    site: SITE,
  }
}

Deno.test('who is called gets the words, and where they stand', async () => {
  const with_ = deps([], OTHER, [OWED])
  assertEquals(await mailMentions(ID, with_), { mailed: 1 })
  assertEquals(
    with_.sent.map(({ to, subject }) => [to, subject]),
    [['mary@example.org', 'Ada Lovelace mentions you in “Lamps”']],
  )
  assertEquals(
    with_.sent[0]?.text,
    'Ada Lovelace wrote in the library “Reading room”:\n\n> Look, @Mary Somerville:\n> it burns.\n\n' +
      `Read the comment:\n${SITE}/l/${ID}/d/${OTHER}?comment=${ID}\n\n` +
      `You get this mail because a comment mentions you. You can turn these mails off in your profile: ${SITE}/settings/profile`,
  )
})

Deno.test('the mail is in the language of whoever gets it, and shows the words without reading them as markup', () => {
  const { subject, html } = mailOf({ ...OWED, locale: 'de', body: 'Sieh <img src=x>\nhier' }, ID, SITE)
  assertEquals(subject, 'Ada Lovelace erwähnt Sie in „Lamps“')
  assertEquals(html.includes('Sieh &lt;img src=x&gt;<br>hier'), true)
  assertEquals(html.includes('<html lang="de" dir="ltr">'), true)
})

Deno.test('a mail in Arabic is from right to left, with names and titles apart from the text around them', () => {
  const { subject, html } = mailOf({ ...OWED, locale: 'ar' }, ID, SITE)
  assertEquals(subject, 'أشار إليك \u2068Ada Lovelace\u2069 في «\u2068Lamps\u2069»')
  assertEquals(html.includes('<html lang="ar" dir="rtl">'), true)
  assertEquals(html.includes('<td class="sheet" dir="rtl"'), true)
  assertEquals(html.includes('<blockquote class="quote" dir="auto"'), true)
})

Deno.test('of a library behind a second factor the mail tells nothing', () => {
  const { subject, text, html } = mailOf({ ...OWED, library_name: null, title: null, body: null }, ID, SITE)
  assertEquals(subject, 'Ada Lovelace mentions you in a comment')
  assertEquals(/Lamps|Reading room|burns/.test(subject + text + html), false)
})

Deno.test('names and titles make no lines and no headers of their own', () => {
  const { subject } = mailOf(
    { ...OWED, author_name: 'Ada\r\nBcc: all@example.org', title: `a\u202eb${'c'.repeat(400)}` },
    ID,
    SITE,
  )
  assertEquals([/[\r\n\u202e]/.test(subject), subject.length], [false, 150])
})

Deno.test('nobody has mail sent for a comment that is not theirs', async () => {
  const asked: Asked = []
  const error = await mailMentions(ID, deps(asked, null, [OWED])).catch((caught) => caught)
  assertEquals([error instanceof Refusal, error.status], [true, 404])
  assertEquals(asked, [['author_of', { comment: ID }]])
})

Deno.test('what could not be sent is owed still', async () => {
  const asked: Asked = []
  const with_ = deps(asked, OTHER, [OWED, { ...OWED, user_id: OTHER, email: 'gone@example.org' }], ['gone@example.org'])
  assertEquals(await mailMentions(ID, with_), { mailed: 1 })
  assertEquals(asked.at(-1), ['give_back_mention_mails', { comment: ID, people: [OTHER] }])
})

Deno.test('without a mail server there are no settings', () => {
  const settings = {
    MAIL_SERVER: 'smtps://u:p@mail.example:465',
    MAIL_FROM: 'Carrel <a@b.example>',
    SITE_URL: `${SITE}/`,
  }
  const get = (all: Record<string, string>) => mailSettings((name) => all[name])
  assertEquals(get(settings), { server: settings.MAIL_SERVER, from: settings.MAIL_FROM, site: SITE })
  assertEquals(get({ ...settings, SITE_URL: '' }), null)
})
