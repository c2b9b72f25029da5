import { type InvitationRow, mailOf } from './invitation-mail.ts'

const ID = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001'
const TAKEN: InvitationRow = {
  email: 'new@example.org',
  key: 'k3y',
  locale: 'en',
  account: null,
  unconfirmed: null,
  inviter: 'Ada Lovelace',
  library: 'Reading room',
  role: 'editor',
  collection: null,
  collection_role: null,
  expires_at: '2026-01-08T00:00:00Z',
}
const SITE = 'https://carrel.example'

function assertEquals(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`${JSON.stringify(actual)}\nis not\n${JSON.stringify(expected)}`)
  }
}

Deno.test('the email names inviter, library and role, in its language', () => {
  const english = mailOf(TAKEN, 't0ken', SITE)
  assertEquals(english.subject, 'Ada Lovelace invites you to “Reading room”')
  assertEquals(english.text.split('\n\n').slice(0, 2), [
    'Ada Lovelace invites you to the library “Reading room”, as editor.',
    'You can read everything in it, write comments, and add and change documents.',
  ])
  assertEquals(english.text.includes(`Open the invitation:\n${SITE}/invite/t0ken?key=k3y\n`), true)
  assertEquals(english.html.includes(`href="${SITE}/invite/t0ken?key=k3y"`), true)
  const german = mailOf(
    { ...TAKEN, locale: 'de', role: 'guest', collection: 'Karten', collection_role: 'reader', inviter: null },
    't0ken',
    SITE,
  )
  assertEquals(german.subject, 'Sie sind zu „Reading room“ eingeladen')
  assertEquals(german.text.split('\n\n')[0], 'Jemand öffnet Ihnen die Sammlung „Karten“ der Bibliothek „Reading room“.')
  assertEquals(german.text.includes('Der Link gilt bis zum 8. Januar 2026, einmal und für new@example.org.'), true)
  const arabic = mailOf({ ...TAKEN, locale: 'ar' }, 't0ken', SITE)
  assertEquals(
    arabic.text.split('\n\n')[0],
    'يدعوك \u2068Ada Lovelace\u2069 إلى المكتبة «\u2068Reading room\u2069» بصفة محرِّر.',
  )
  assertEquals(/حتى (8|٨) يناير (2026|٢٠٢٦)، وللعنوان \u2068new@example\.org\u2069/.test(arabic.text), true)
})

Deno.test('only an address without an account gets the key', () => {
  const mail = mailOf({ ...TAKEN, account: ID }, 't0ken', SITE)
  assertEquals(
    [mail.text, mail.html].map((said) => said.includes('k3y')),
    [false, false],
  )
  assertEquals(mail.html.includes(`href="${SITE}/invite/t0ken"`), true)
})

Deno.test('names cannot add markup, headers or links', () => {
  const hostile = '<b>Ada</b> & "co"\r\nBcc: all@example.org\u202e https://evil.example www.evil.example'
  const { subject, text, html } = mailOf({ ...TAKEN, inviter: hostile, library: hostile }, 't0ken', SITE)
  assertEquals([/[\r\n\u202e]/.test(subject), subject.length], [false, 150])
  assertEquals(/<b>|all@example|evil\.example|:\/\/evil/.test(html), false)
  assertEquals(/all@example|evil\.example|:\/\/evil/.test(text + subject), false)
  assertEquals(html.includes('&lt;b&gt;Ada&lt;/b&gt; &amp; &quot;co&quot;'), true)
})
