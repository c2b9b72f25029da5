// Stored attacks on readers: in a note, and in each kind of file rendered as HTML. Nothing runs or loads, and the
// policies of the app and the frame have nothing to block: sanitizing is complete.
import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { strToU8, zipSync } from 'fflate'
import { enter, expect, isStopped, type Person, test } from './fixtures.ts'

const EVIL = 'https://evil.example'
const RAN = 'HOSTILE CODE RAN'
const RUN = `console.log('${RAN}')`
/** Violations of the frame's policy (snapshot-view.tsx) and the app's. */
const FRAME_POLICY = /default-src 'none'|img-src data:|form-action 'none'/
const WORDS = 'The lamp is lit at dusk.'

/** HTML that runs, loads, covers, submits or navigates, in ways that sanitizers are known to have missed. */
const ATTACKS = [
  `<script>${RUN}</script><script src="${EVIL}/a.js"></script>`,
  `<img src="${EVIL}/pixel.png" onerror="${RUN}" onload="${RUN}"><img src=x onerror="${RUN}">`,
  `<svg onload="${RUN}"><script>${RUN}</script><a xlink:href="javascript:${RUN}"><text>x</text></a></svg>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${RUN}"></style></mglyph></table></mtext></math>`,
  `<svg></p><style><a id="</style><img src=1 onerror=${RUN}>">`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>"></noscript>`,
  `<form><math><mtext></form><form><mglyph><svg><mtext><style><path id="</style><img onerror=${RUN} src>">`,
  `<iframe srcdoc="<script>${RUN}</script>"></iframe><iframe src="javascript:${RUN}"></iframe><object data="${EVIL}/o"></object>`,
  `<embed src="${EVIL}/e.swf"><video src="${EVIL}/v.mp4" poster="${EVIL}/p.png" autoplay></video><audio src="${EVIL}/a.mp3"></audio>`,
  `<link rel="stylesheet" href="${EVIL}/a.css"><style>@import '${EVIL}/b.css';*{background:url(${EVIL}/c.png)}</style>`,
  `<p style="background:url(${EVIL}/d.png);position:fixed;inset:0">cover</p><table background="${EVIL}/t.png"><tr><td>x</td></tr></table>`,
  `<a href="javascript:${RUN}">click</a><a href="&#106;avascript:${RUN}">click</a><a href=" java\tscript:${RUN}">click</a>`,
  `<a href="data:text/html,<script>${RUN}</script>">click</a><form action="${EVIL}"><button>send</button><input name=x></form>`,
  `<base href="${EVIL}/"><meta http-equiv="refresh" content="0;url=${EVIL}"><details open ontoggle="${RUN}">x</details>`,
  `<input autofocus onfocus="${RUN}"><p id="root" popover name="body">x</p><marquee onstart="${RUN}">x</marquee>`,
  `<picture><source srcset="${EVIL}/s.png"><img srcset="${EVIL}/s2.png 1x"></picture><body onload="${RUN}">`,
]
const HTML = `<p>${WORDS}</p>${ATTACKS.join('\n')}`
/** The same as XML, for a book. */
const XHTML = `<img src="${EVIL}/x.png" onerror="${RUN}"/><script>${RUN}</script><svg xmlns="http://www.w3.org/2000/svg" onload="${RUN}"><script>${RUN}</script></svg>
  <a href="javascript:${RUN}">click</a><iframe src="${EVIL}"></iframe><link rel="stylesheet" href="${EVIL}/x.css"/><p style="background:url(${EVIL}/y.png)">${WORDS}</p>`
const MARKDOWN = `${WORDS}

${ATTACKS.join('\n\n')}

[click](javascript:${RUN}) [click](<javascript:${RUN}>) ![x](${EVIL}/m.png) ![x](javascript:${RUN} "x") <javascript:${RUN}>

[a]: javascript:${RUN}
[click][a] [x](data:text/html;base64,PHNjcmlwdD4=) @[<img src=x onerror=${RUN}>](00000000-0000-4000-8000-000000000001)

\`\`\`<img src=x onerror=${RUN}>
${HTML}
\`\`\``

const text = (value: string) => strToU8(value)
const EPUB = zipSync({
  mimetype: [text('application/epub+zip'), { level: 0 }],
  'META-INF/container.xml': text(
    '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
  ),
  'book.opf': text(
    `<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">x</dc:identifier><dc:title>&lt;img src=x onerror="${RUN}"&gt;</dc:title></metadata><manifest><item id="one" href="one.xhtml" media-type="application/xhtml+xml"/><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest><spine><itemref idref="one"/></spine></package>`,
  ),
  'nav.xhtml': text(
    `<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body><nav epub:type="toc"><ol><li><a href="javascript:${RUN}">One</a></li></ol></nav></body></html>`,
  ),
  'one.xhtml': text(
    `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>One</title></head><body>${XHTML}</body></html>`,
  ),
})
const escaped = (value: string) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const DOCX = zipSync({
  '[Content_Types].xml': text(
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
  ),
  'word/document.xml': text(
    `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>${escaped(HTML)}</w:t></w:r></w:p><w:p><w:fldSimple w:instr='HYPERLINK "javascript:${RUN}"'><w:r><w:t>${WORDS}</w:t></w:r></w:fldSimple></w:p><w:p><w:r><w:t>${WORDS}</w:t></w:r></w:p></w:body></w:document>`,
  ),
})
const MAIL = `From: "<img src=x onerror=${RUN}>" <a@evil.example>\r\nTo: b@example.org\r\nSubject: <script>${RUN}</script>\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<html><body>${HTML.replaceAll('\n', '\r\n')}</body></html>\r\n`

const FILES: readonly [name: string, bytes: Uint8Array][] = [
  ['page.html', text(`<!doctype html><title><script>${RUN}</script></title><body>${HTML}</body>`)],
  ['text.md', text(MARKDOWN)],
  ['book.epub', EPUB],
  ['letter.docx', DOCX],
  ['mail.eml', text(MAIL)],
]

/** Records everything that a page's content could do. */
function watch(page: Page): string[] {
  const seen: string[] = []
  page.on('console', (message) => {
    const said = message.text()
    if (said.includes(RAN) || isStopped(said) || FRAME_POLICY.test(said)) seen.push(said)
  })
  page.on('dialog', (dialog) => {
    seen.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (new URL(request.url()).host === 'evil.example') seen.push(`request: ${request.url()}`)
  })
  page.on('popup', (popup) => void seen.push(`popup: ${popup.url()}`))
  return seen
}

async function addFile({ client }: Person, library: string, name: string, bytes: Uint8Array): Promise<string> {
  const document = randomUUID()
  const path = `${library}/${document}/${randomUUID()}/file${/\.\w+$/.exec(name)?.[0]}`
  const { error } = await client.storage
    .from('documents')
    .upload(path, new Blob([new Uint8Array(bytes)]), { contentType: 'application/octet-stream' })
  if (error) throw error
  await client
    .rpc('add_file', { library, document, path, file_name: name, title: `<img src=x onerror=${RUN}>` })
    .throwOnError()
  await client.functions.invoke('ingest', { body: { document_id: document } })
  return document
}

test('the test detects blocked and remote content', async ({ page, library, stopped }) => {
  const seen = watch(page)
  await page.goto(`/l/${library}`)
  await page.getByRole('heading', { name: 'An empty shelf' }).waitFor()
  expect(seen).toEqual([])
  await page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html), ATTACKS[1] ?? '')
  await expect
    .poll(() => seen)
    .toEqual(expect.arrayContaining([expect.stringMatching(/script-src-attr/), `request: ${EVIL}/pixel.png`]))
  expect(seen).not.toContain(RAN)
  expect(stopped.splice(0)).not.toEqual([])
})

test('a hostile note cannot attack its readers', async ({ page, person, library }) => {
  const seen = watch(page)
  const { data: note } = await person.client
    .rpc('add_note', { library, title: `<img src=x onerror=${RUN}>`, body: MARKDOWN })
    .throwOnError()
  await page.goto(`/l/${library}/d/${note.id}`)
  await expect(page.locator('article, main').getByText(WORDS).first()).toBeVisible()
  const links = page
    .locator('main a[href]')
    .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).protocol))
  expect(new Set(await links).difference(new Set(['http:', 'https:', 'mailto:'])).size).toBe(0)
  expect(seen).toEqual([])
})

for (const [name, bytes] of FILES) {
  test(`a hostile ${name} cannot attack its readers, even through a share link`, async ({ page, person, library }) => {
    const seen = watch(page)
    const document = await addFile(person, library, name, bytes)
    await enter(page, person)
    const { data: link } = await person.client.rpc('create_share_link', { document }).throwOnError()
    for (const address of [`/l/${library}/d/${document}`, `/s/${(link as { token: string }).token}`]) {
      await page.goto(address)
      const place = name.endsWith('.md') ? page.locator('main') : page.frameLocator('main iframe').locator('main')
      await expect(place.getByText(WORDS).first()).toBeVisible()
      for (const inside of page.frames()) {
        const risky = inside.locator(
          '[onerror], [onload], [onfocus], [ontoggle], script[src*=evil], form[action*=evil], [style*=evil], [src*=evil]',
        )
        expect(await risky.count()).toBe(0)
      }
    }
    expect(seen).toEqual([])
  })
}

const IN_A_WEEK = new Date(Date.now() + 7 * 24 * 3_600_000).toISOString()

test('names with markup are harmless on every screen', async ({ page, person, another, library }) => {
  test.slow()
  const seen = watch(page)
  const { client } = person
  const name = "'><img src=//evil.example>"
  const said = { library_id: library, name }
  for (const { client, id } of [person, another])
    await client.from('profiles').update({ display_name: name }).eq('id', id).throwOnError()
  await client.from('libraries').update({ name, description: name }).eq('id', library).throwOnError()
  const { data: invitation } = await client
    .rpc('invite_member', { library, email: another.email, role: 'editor' })
    .throwOnError()
  const { token } = invitation as { token: string }
  await client.rpc('invite_member', { library, email: "o'<b>@example.org", role: 'reader' }).throwOnError()
  const { data: collection } = await client.from('collections').insert(said).select('id').single().throwOnError()
  const { data: tag } = await client.from('tags').insert(said).select('id').single().throwOnError()
  const { data: note } = await client
    .rpc('add_note', {
      library,
      title: name,
      body: `${name}\n\n[x](/l/${library}/d/${randomUUID()})`,
      collection: collection.id,
    })
    .throwOnError()
  const inNote = { library_id: library, document_id: note.id }
  await client
    .from('document_tags')
    .insert({ ...inNote, tag_id: tag.id })
    .throwOnError()
  await client
    .from('documents')
    .update({
      summary: name,
      reference: {
        type: 'book',
        title: name,
        author: [{ family: name }],
        publisher: name,
        DOI: '10.1000/"><img src=x>',
      },
    })
    .eq('id', note.id)
    .throwOnError()
  await client.from('favorites').insert(inNote).throwOnError()
  await client
    .from('comments')
    .insert({ ...inNote, body: `${name} [x](javascript:${RUN})`, quote: 'img src' })
    .throwOnError()
  await client.from('note_templates').insert({ library_id: library, title: name, body: MARKDOWN }).throwOnError()
  await client
    .from('saved_searches')
    .insert({ ...said, query: name })
    .throwOnError()
  const option = { id: randomUUID(), name, color: 'amber' }
  const { data: field } = await client
    .rpc('save_field', {
      collection: collection.id,
      field: null as unknown as string,
      name,
      kind: 'choice',
      options: [option],
    })
    .throwOnError()
  const { data: made } = await client
    .from('field_options')
    .select('id')
    .eq('field_id', field.id)
    .single()
    .throwOnError()
  await client.rpc('set_field_value', { documents: [note.id], field: field.id, value: made.id }).throwOnError()
  await client.rpc('save_group', { library, name, description: name, added: [person.id] }).throwOnError()
  await client.rpc('create_api_key', { library, name, scopes: ['search'], days: 9 }).throwOnError()
  await client
    .rpc('create_webhook', {
      library,
      url: 'https://hooks.example.org/x',
      events: ['comment.added'],
      description: name,
    })
    .throwOnError()
  const rule = { name, conditions: [{ on: 'title', value: name }], actions: [{ do: 'tag', tag: tag.id }] }
  const anywhere = { is_on: true, on_added: true, on_moved: false, collection_id: null, includes_inside: true }
  await client.rpc('save_rule', { library, rule: { ...anywhere, ...rule } }).throwOnError()
  const { data: request } = await client
    .rpc('create_file_request', { library, title: name, words: name, collection: collection.id, expires_at: IN_A_WEEK })
    .throwOnError()

  const asked = (request as { token: string }).token
  const at = `/l/${library}`
  const q = encodeURIComponent(name)
  const places = [
    '/',
    '/inbox',
    `/search?q=${q}`,
    '/settings',
    '/settings/profile',
    '/settings/security',
    `/invite/${token}`,
    `/r/${asked}`,
    `/share?title=${q}&text=${q}&quote=${q}&url=${encodeURIComponent(`javascript:${RUN}`)}`,
    `/auth/callback?error=x&error_code=constructor&error_description=${q}`,
    ...[
      '',
      `?collection=${collection.id}`,
      `?collection=${collection.id}&view=list`,
      `?collection=${collection.id}&view=board`,
      `?q=${q}`,
      `/d/${note.id}`,
      `/search?q=${q}`,
      `/ask?q=${q}`,
      '/activity',
      '/activity?audit=true',
      '/members',
      '/highlights',
      '/insights',
      '/trash',
      '/settings',
      ...['api', 'groups', 'mail', 'retention', 'rules', 'sign-in', 'webhooks'].map((part) => `/settings/${part}`),
    ].map((path) => at + path),
  ]
  for (const path of places) {
    await page.goto(path)
    await expect(page.getByRole('heading').first()).toBeVisible()
    await page.waitForLoadState('networkidle')
    expect.soft(await page.locator('[onerror], [src*="evil"], a[href^="javascript:"]').count(), path).toBe(0)
    expect.soft(seen.splice(0), path).toEqual([])
  }
})
