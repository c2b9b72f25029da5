import { deepStrictEqual as equal, match, ok, rejects } from 'node:assert/strict'
import { APPLE, bytesOf, GMAIL, OUTLOOK, PIXEL, plain, SCANNER, WINMAIL } from '../../../tests/support/sample-mails.ts'
import { contentsOf } from './contents.ts'
import { readMail } from './mail.ts'
import { MailRefusal } from './refused-mail.ts'

const LIBRARY = '00000000-0000-4000-8000-000000000001'

async function contents(message: string | Uint8Array) {
  const bytes = typeof message === 'string' ? bytesOf(message) : message
  const { note, pictures, files } = contentsOf(await readMail(bytes), bytes, LIBRARY)
  // Replace random ids: pictures become 1, 2, …, and files their names.
  let body = note?.body ?? null
  for (const [index, { name }] of pictures.entries()) body = body?.replaceAll(name, String(index + 1)) ?? null
  for (const { id, name } of files) body = body?.replaceAll(`/l/${LIBRARY}/d/${id}`, `file:${name.slice(0, 7)}`) ?? null
  return { title: note?.title, body, pictures, files: files.map(({ name, title }) => [name, title]) }
}

const reasonOf = (message: string) => readMail(bytesOf(message)).catch((error) => (error as MailRefusal).reason)

Deno.test('an Outlook email keeps text, table, inline logo and attachment', async () => {
  const { body, title, pictures, files } = await contents(OUTLOOK)
  equal(title, 'Angebot für Lampen')
  equal(
    body,
    `Hallo,

anbei das **Angebot** für die Lampen.

| Lampe | Preis |
| - | - |
| Öllampe | 12 € |

![](pictures/1)

**Von:** Ada \\<ada@example.org>\\
**Betreff:** Lampen

Was kosten sie?

---

- [Angebot.pdf](file:Angebot)`,
  )
  equal(
    pictures.map(({ type, bytes }) => [type, bytes.toBase64()]),
    [['image/png', PIXEL]],
  )
  equal(files, [['Angebot.pdf', 'Angebot']])
  const { sender, sentAt } = await readMail(bytesOf(OUTLOOK))
  equal([sender, sentAt], [{ name: 'Jörg Müller', address: 'joerg@example.com' }, '2026-03-05T10:00:00.000Z'])
})

Deno.test('a Gmail email keeps link and quote, and a nested email is a file', async () => {
  const { body, files } = await contents(GMAIL)
  equal(
    body,
    `Yes, [both](https://example.org/a_b?x=1) of them.

On Thu, 5 Mar 2026, J wrote:

> Which?

---

- [Preise €.csv](file:Preise )
- [Offer.eml](file:Offer.e)`,
  )
  equal(files, [
    ['Preise €.csv', 'Preise €'],
    ['Offer.eml', 'Offer'],
  ])
})

Deno.test('an Apple Mail email keeps both texts and the inline picture', async () => {
  const { body, pictures, files } = await contents(APPLE)
  match(
    body ?? '',
    /^Before\.\s+After\.\s+> On 6 Mar 2026, at 10:00, J wrote:\n>\n> Send photos\.\s+!\[IMG_1\.png\]\(pictures\/1\)$/,
  )
  equal([pictures.length, files.length], [1, 0])
})

Deno.test('an email that is only a file becomes that file, with its name but no folders', async () => {
  equal(await contents(SCANNER), {
    title: undefined,
    body: null,
    pictures: [],
    files: [['_SKM_2026.pdf', '_SKM_2026']],
  })
})

Deno.test('winmail.dat is a regular attachment', async () => {
  const { body, files } = await contents(WINMAIL)
  equal(body, 'See the minutes.\n\n---\n\n- [winmail.dat](file:winmail)')
  equal(files, [['winmail.dat', 'winmail.dat']])
})

Deno.test('plain text keeps lines, quotes, signature and addresses, with Markdown escaped', async () => {
  const { body } = await contents(
    plain(`# 1 *Hello* <script>alert(1)</script>
@[Ada](de300000-0000-4000-8000-000000000001) ![x](pictures/de300000-0000-4000-8000-000000000001.png)

> yes
>> no

See https://example.org/a_b(c), [x](javascript:alert(1)).
-- 
Ada
---
`),
  )
  equal(
    body,
    `\\# 1 \\*Hello\\* \\<script>alert(1)\\</script>\\
@\\[Ada]\\(de300000-0000-4000-8000-000000000001) !\\[x]\\(pictures/de300000-0000-4000-8000-000000000001.png)

> yes
>
> > no

See <https://example.org/a_b(c)>, \\[x]\\(javascript:alert(1)).\\
\\--\\
Ada\\
\\---`,
  )
})

Deno.test('hostile HTML is reduced to its text, without scripts, frames, script links and remote pictures', async () => {
  const { body, pictures } = await contents(
    plain(
      `<p onclick="x()">Hi <a href="javascript:alert(1)">there</a> <a href="//evil.example">or</a> <a href=" https://ok.example ">here</a>
<script>alert(1)</script><style>p{}</style><iframe srcdoc="<script>x</script>"></iframe><svg><script>y</script></svg><!-- c -->
<img src="https://track.example/p.gif" alt="Logo"><img src="https://track.example/p.gif"><img src="cid:none" alt="Chart">
<img src="data:image/png;base64,${PIXEL}"><img src="data:image/svg+xml;base64,${PIXEL}" alt="s">
@<a href="de300000-0000-4000-8000-000000000001">Ada</a> <textarea></p><b>x</textarea>`,
      'Content-Type: text/html',
    ),
  )
  equal(pictures.length, 1)
  ok(body)
  for (const word of ['alert', 'javascript', 'evil', 'track', '<b', 'iframe', '](de3'])
    ok(!body.includes(word), `${word}: ${body}`)
  match(body, /^Hi there or \[here\]\(https:\/\/ok\.example\) Logo.*!\[\]\(pictures\/1\)/s)
})

Deno.test('layout tables are removed', async () => {
  const { body } = await contents(
    plain(
      `<table role="presentation"><tr><td><table><tr><td><h1>News</h1></td></tr><tr><td><p>One</p><p>Two</p></td></tr></table></td></tr></table>`,
      'Content-Type: text/html',
    ),
  )
  equal(body, '# News\n\nOne\n\nTwo')
})

Deno.test('text is decoded with the charset of the email, even if it is wrong', async () => {
  const latin = Uint8Array.from(bytesOf(plain('caf?', 'Content-Type: text/plain; charset=windows-1252')), (byte) =>
    byte === 0x3f ? 0xe9 : byte,
  )
  equal((await contents(latin)).body, 'café')
  equal((await contents(plain('x', 'Content-Type: text/plain; charset=x-klingon'))).body, 'x')
  ok((await contents(plain('=FF=FE=00', 'Content-Transfer-Encoding: quoted-printable'))).body)
})

Deno.test('an email without a charset is decoded by its bytes', async () => {
  const text = 'Gr=FC=DFe aus M=FCnchen, sch=F6ne Stra=DFe.'
  equal(
    (await contents(plain(text, 'Content-Transfer-Encoding: quoted-printable'))).body,
    'Grüße aus München, schöne Straße.',
  )
})

Deno.test('names and subjects are single lines and cannot add headers', async () => {
  const { sender, subject, sentAt, parts } = await readMail(
    bytesOf(`From: =?utf-8?Q?Ada=0D=0ABcc=3A_x=40y=E2=80=AE?= <ada@example.org>
Subject: =?utf-8?Q?a=00b=0Ac?=
Date: never
Content-Type: application/x-msdownload; name="=?utf-8?Q?a/..=5Cb=0A.exe?="

MZ`),
  )
  equal(sender.name, 'Ada Bcc: x@y')
  ok(!/[\p{Cc}]/u.test(subject))
  equal(sentAt, null)
  ok(parts.every(({ name }) => !/[/\\\p{Cc}]/u.test(name ?? '')))
})

Deno.test('emails are identified by Message-ID, or by content without one', async () => {
  const hash = async (message: string) => (await readMail(bytesOf(message))).hash
  equal(await hash(GMAIL), await hash(GMAIL.replace('Yes', 'No')))
  const [one, other] = [GMAIL.replace(/Message-ID.*\n/, ''), GMAIL.replace(/Message-ID.*\n/, '').replace('Yes', 'No')]
  equal(await hash(one), await hash(one))
  ok((await hash(one)) !== (await hash(other)))
})

Deno.test('huge headers and deeply nested parts are rejected', async () => {
  equal(await reasonOf(`X-Long: ${'x'.repeat(10_000_000)}\nSubject: y\n\nz`), 'damaged')
  equal(await reasonOf(`${'X-Many: x\n'.repeat(400_000)}\nz`), 'damaged')
  equal(await reasonOf('\n'.repeat(600_000)), 'large')
  const nested = Array.from({ length: 200 }, (_, n) => `Content-Type: multipart/mixed; boundary="b${n}"\n\n--b${n}\n`)
  equal(await reasonOf(nested.join('')), 'damaged')
  await rejects(readMail(bytesOf(nested.join(''))), MailRefusal)
})

Deno.test('invalid emails have no recipients and do no harm', async () => {
  for (const message of [
    '',
    '\0\0\0',
    'MZ\x90',
    '--\n--\n--',
    'Content-Type: multipart/mixed; boundary=""\n\n--\n\nx',
    '\n'.repeat(100),
  ]) {
    equal((await readMail(bytesOf(message))).recipients, [])
    ok(await contents(message))
  }
})

Deno.test('HTML nested too deeply is replaced by the plain text and attached', async () => {
  const deep = '<div>'.repeat(5000)
  const both = `Subject: d
Content-Type: multipart/alternative; boundary=a

--a
Content-Type: text/plain

Plain.
--a
Content-Type: text/html

${deep}Deep.
--a--`
  equal((await contents(both)).body, 'Plain.\n\n---\n\n- [mail.eml](file:mail.em)')
  const alone = await contents(plain(`${deep}Deep.`, 'Content-Type: text/html'))
  equal([alone.body, alone.files], ['- [mail.eml](file:mail.em)', [['mail.eml', 'mail']]])
  for (const trick of ['<b><p>', '<b a=1></x><p>', '<div></x>', '<table><td>', '<a></p>'])
    equal((await contents(plain(trick.repeat(20_000), 'Content-Type: text/html'))).files, [['mail.eml', 'mail']])
})

Deno.test('text longer than a note is truncated and attached as a whole', async () => {
  const { body, files } = await contents(plain('word *star* '.repeat(120_000)))
  ok((body?.length ?? 0) < 1_048_576 && body?.startsWith('word \\*star\\*'))
  equal(files, [['mail.eml', 'mail']])
})
