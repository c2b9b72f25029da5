import { deepStrictEqual, match, ok, rejects } from 'node:assert/strict'
import { Unreadable } from '../errors.ts'
import { extractHtml } from './html.ts'
import { readFile } from './testing/read-file.ts'

const FIXTURES = new URL('../../../../tests/fixtures/', import.meta.url)
const fixture = (name: string) => Deno.readFile(new URL(name, FIXTURES))

Deno.test('a PDF of twenty pages becomes passages with page and heading, without the running head', async () => {
  const { passages, mimeType, pages } = await readFile(await fixture('reading-room.pdf'), 'reading-room.pdf')
  deepStrictEqual([mimeType, pages], ['application/pdf', 20])
  deepStrictEqual(passages.filter(({ content }) => content.includes('The Reading Room')).length, 1)
  const fresnel = passages.find(({ content }) => content.includes('Augustin Fresnel'))
  deepStrictEqual(fresnel?.heading, 'How a lighthouse works › Making the beam')
  ok(fresnel?.page && fresnel.page > 10 && fresnel.page < 15)
  deepStrictEqual(
    passages.find(({ content }) => content.includes('not born yet'))?.heading,
    "The keeper's logbook › A lesson for note takers",
  )
})

Deno.test('Markdown keeps headings and offsets', async () => {
  const bytes = await fixture('lighthouse.md')
  const { passages, mimeType } = await readFile(bytes, 'lighthouse.md')
  const beam = passages.find(({ content }) => content.includes('Fresnel'))
  deepStrictEqual(
    [mimeType, beam?.heading, beam?.page],
    ['text/markdown', 'How a lighthouse works › Making the beam', null],
  )
  match(new TextDecoder().decode(bytes).slice(beam?.start, beam?.end), /^A bare flame/)
  ok(passages.some(({ content }) => content.includes(' two flashes every ten seconds ')))
})

Deno.test('a web page is reduced to its readable content', async () => {
  const { passages, mimeType } = await readFile(await fixture('index-card.html'), 'index-card.html')
  const text = passages.map(({ content }) => content).join('\n')
  deepStrictEqual(mimeType, 'text/html')
  match(text, /back of a playing card/)
  ok(!/written by a script|All essays|color: black/.test(text))
  ok(passages.some(({ heading }) => heading?.endsWith('The standard size')))
})

Deno.test('a page with text that reader mode misses is read completely', () => {
  const prose = (about: string) => `<p>${`This sentence is about ${about}, and it is long enough. `.repeat(8)}</p>`
  const page = `<html><body><article>${prose('lamps').repeat(2)}</article><div class="comment sidebar-footer">${prose('wicks').repeat(4)}</div></body></html>`
  const { sections, rendition } = extractHtml(page)
  ok(sections.some(({ text }) => text.includes('about wicks')) && rendition === undefined)
})

Deno.test('a short page is read completely if reader mode drops a tenth of it', () => {
  const page =
    '<body><p>Kinds of ropes</p><table><tr><th>Kind<th>Care<tr><td>Hemp<td>See <a href="#">drying</a> and <a href="#">tarring</a> for details.</table><p>Outro</p>'
  ok(extractHtml(page).sections[0]?.text.includes('Kind | Care'))
})

Deno.test('a document saved as a page is read completely', () => {
  const prose = `<p>${'This sentence is about lamps, and it is long enough. '.repeat(8)}</p>`
  const form =
    '<table class="footer"><tr><td>Program director (last, first)</td><td>Ada Byron, office of the harbour, third floor</td></tr></table>'
  const page = `<body>${prose.repeat(9)}${form}</body>`
  ok(extractHtml(page).sections.some(({ text }) => text.includes('Program director')))
  ok(!extractHtml(`<nav>Home</nav>${page}`).sections.some(({ text }) => text.includes('Program director')))
})

Deno.test('boxes with text are read, columns of links are not', () => {
  const prose = (about: string) => `<p>${`This sentence is about ${about}, and it is long enough. `.repeat(8)}</p>`
  const page = `<html><body><article><h1>Lamps</h1>${prose('lamps')}
    <div class="sidebar"><p>Community</p>${prose('the names of lamps')}</div>${prose('wicks')}${prose('oil')}
    <div class="sidebar">${'<p><a href="/">Another lamp of ours</a></p>'.repeat(12)}</div></article></body></html>`
  const { sections, rendition } = extractHtml(page)
  const text = sections.map((section) => section.text).join('\n')
  ok(text.includes('the names of lamps') && rendition?.includes('the names of lamps'))
  ok(!text.includes('Another lamp of ours'))
})

const SAID = 'The keeper counts the ships.'
const PAGES: readonly [string, string, string][] = [
  ['without a body', `<title>Log</title><p>${SAID}`, SAID],
  ['with a script before its head', `<html><script>x()</script><head></head><body><p>${SAID}</body></html>`, SAID],
  ['with frames', `<html><frameset><frame><noframes><body><p>${SAID}</body></noframes></frameset></html>`, SAID],
  ['of two documents', `<html><body><p>One.</body></html><html><body><p>${SAID}</body></html>`, `One.\n\n${SAID}`],
  ['with noscript content', `<html><body><noscript><p>${SAID}</noscript></body></html>`, SAID],
  ['with a page in an iframe', `<p>One.<iframe srcdoc="&lt;p&gt;${SAID}"></iframe>`, `One.\n\n${SAID}`],
  ['with a picture', '<p><img src="a.png" alt="A plan of the quay">', 'A plan of the quay'],
  ['with a drawing', '<svg><title>x</title><g><text>Depth</text></g></svg>', 'Depth'],
  ['with headings only', '<h1>Rope makers</h1><h2>Ninth of May</h2>', 'Rope makers\n\nNinth of May'],
  ['with ruby', '<p><ruby>山路<rp>(</rp><rt>やまみち</rt><rp>)</rp></ruby>を登る', '山路を登る'],
  ['with line breaks in its source', '<p>The\n  keeper<br>counts <pre>a\n b</pre>', 'The keeper\ncounts\n\na\nb'],
  ['with a table', '<table>\n<tr>\n<td>Basin\n north</td>\n<td>14</td>\n</tr></table>', 'Basin north | 14'],
]
for (const [what, page, text] of PAGES) {
  Deno.test(`a page ${what} is read like in a browser`, async () => {
    const { passages } = await readFile(new TextEncoder().encode(page), 'page.html')
    deepStrictEqual(passages.map(({ content }) => content).join('\n\n'), text)
  })
}

Deno.test('words hyphenated at line ends are joined', async () => {
  const text = 'Das Dateisy\u2010\n     steme, CON\u2010\n  FIG_X, read-\nonly and Nord\u2010\n Ostsee.'
  const [passage] = (await readFile(new TextEncoder().encode(text), 'fs.5')).passages
  deepStrictEqual(
    [passage?.content, passage?.end],
    ['Das Dateisysteme, CONFIG_X, read-\nonly and Nord\u2010\n Ostsee.', text.length],
  )
})

Deno.test('plain text is split at sentences', async () => {
  const { passages, mimeType } = await readFile(await fixture('paper.txt'), 'paper.txt')
  deepStrictEqual([mimeType, passages.length > 1], ['text/plain', true])
})

const REFUSED: readonly [string, RegExp][] = [
  ['encrypted.pdf', /protected with a password\. Save a copy without it/],
  ['damaged.pdf', /damaged and can’t be opened/],
  ['pictures-only.pdf', /pictures of pages but no text\./],
  ['empty.txt', /The file is empty/],
  ['lying.pdf', /is named a PDF, but its content is a PNG image/],
]
for (const [name, message] of REFUSED) {
  Deno.test(`${name} is rejected with advice`, async () => {
    const bytes = await fixture(name)
    await rejects(readFile(bytes, name), (error) => error instanceof Unreadable && message.test(error.message))
  })
}

const HOSTILE: readonly [string, string, boolean][] = [
  [
    'nested a hundred thousand levels deep',
    `${'<div>'.repeat(100_000)}deep${'</div>'.repeat(100_000)}<p>Shallow words.</p>`,
    false,
  ],
  ['with ten thousand open paragraphs', '<p>Some words.'.repeat(10_000), true],
  ['with broken tags', `<p>Words. ${'<a href="'.repeat(5000)}`, false],
  [
    'with scripts everywhere',
    '<p onclick="x()">Words.<script>stolen()</script><img src=x onerror="stolen()"><svg><script>stolen()</script></svg>',
    true,
  ],
]
for (const [name, page, readable] of HOSTILE) {
  Deno.test(`a hostile page ${name} gives text or an error`, async () => {
    const reading = readFile(new TextEncoder().encode(`<html><body>${page}</body></html>`), 'page.html')
    if (readable) ok((await reading).passages.every(({ content }) => !content.includes('stolen')))
    else await reading.catch((error) => ok(error instanceof Unreadable, String(error)))
  })
}

/** A PDF whose pages share the same words. It has no cross-reference table; parsers find the objects anyway. */
const pdfOf = (sheets: number, said = sheets) => {
  const text = 'BT /F1 18 Tf 40 340 Td (The lamp is lit at dusk.) Tj ET'
  const numbers = Array.from({ length: sheets }, (_, index) => index + 5)
  const lines = [
    '%PDF-1.7',
    '1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj',
    `2 0 obj <</Type /Pages /Kids [${numbers.map((number) => `${number} 0 R`).join(' ')}] /Count ${said}`,
    '  /MediaBox [0 0 400 400] /Resources <</Font <</F1 4 0 R>>>>>> endobj',
    `3 0 obj <</Length ${text.length}>> stream\n${text}\nendstream endobj`,
    '4 0 obj <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>> endobj',
    ...numbers.map((number) => `${number} 0 obj <</Type /Page /Parent 2 0 R /Contents 3 0 R>> endobj`),
    'trailer <</Root 1 0 R>>\n%%EOF',
  ]
  return new TextEncoder().encode(lines.join('\n'))
}

const XMP = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:prism="http://prismstandard.org/namespaces/basic/2.0/"><rdf:Description rdf:about="">
  <dc:title><rdf:Alt><rdf:li xml:lang="x-default">On lamps</rdf:li></rdf:Alt></dc:title>
  <dc:creator><rdf:Seq><rdf:li>Augustin Fresnel</rdf:li><rdf:li>François Arago</rdf:li></rdf:Seq></dc:creator>
  <prism:publicationName>Annales de Chimie</prism:publicationName><prism:doi>10.1000/xyz</prism:doi>
  </rdf:Description></rdf:RDF></x:xmpmeta>`

const publishedPdf = () => {
  const bytes = new TextEncoder().encode(XMP).length
  const source = new TextDecoder()
    .decode(pdfOf(1))
    .replace('/Type /Catalog', '/Type /Catalog /Metadata 20 0 R')
    .replace(
      'trailer <<',
      `20 0 obj <</Type /Metadata /Subtype /XML /Length ${bytes}>> stream\n${XMP}\nendstream endobj
21 0 obj <</Title (lamps-v3)>> endobj\ntrailer <</Info 21 0 R `,
    )
  return new TextEncoder().encode(source)
}

Deno.test('title and reference of a PDF come from its metadata, but a file name is not a title', async () => {
  const { title, reference } = await readFile(publishedPdf(), 'Lamps_v3.pdf')
  deepStrictEqual(title, 'On lamps')
  deepStrictEqual(reference, {
    type: 'article-journal',
    author: [
      { family: 'Fresnel', given: 'Augustin' },
      { family: 'Arago', given: 'François' },
    ],
    'container-title': 'Annales de Chimie',
    DOI: '10.1000/xyz',
  })
  deepStrictEqual((await readFile(publishedPdf(), 'other.pdf')).title, 'lamps-v3')
})

Deno.test('a PDF with too many pages is rejected before it is read', async () => {
  await rejects(
    readFile(pdfOf(5001), 'x.pdf'),
    (error) => error instanceof Unreadable && /has 5001 pages; the limit is 5000\. Split it/.test(error.message),
  )
})

Deno.test('a PDF that claims a hundred thousand pages is read with its actual pages', async () => {
  const { pages, passages } = await readFile(pdfOf(2, 100_000), 'x.pdf')
  deepStrictEqual([pages, passages[0]?.content.includes('The lamp is lit at dusk.')], [2, true])
})

Deno.test('documents too long for one step are rejected before reading, not counting embedded files', async () => {
  const paragraph = '<p>The keeper trims the wick of the lamp.</p>'
  const page = (inside: string) => new TextEncoder().encode(`<html><body>${inside}</body></html>`)
  await rejects(readFile(page(paragraph.repeat(150_000)), 'page.html'), {
    message: 'The document is too long: 6.8 million characters; the limit is 6 million. Split it and upload the parts.',
  })
  await rejects(
    readFile(new TextEncoder().encode('lamp '.repeat(3_300_000)), 'log.txt'),
    /16\.5 million characters; the limit is 16 million/,
  )
  const picture = `<img src="data:image/png;base64,${'iVBORw0KGgo'.repeat(600_000)}">`
  ok((await readFile(page(paragraph + picture), 'page.html')).passages.length > 0)
})

Deno.test('a paragraph in the style of a heading is text', async () => {
  const long = 'The bell of the harbour rings. '.repeat(30).trim()
  const page = `<body><h1>Bells</h1><h2>${long}</h2><p>It is old.</p></body>`
  const { passages } = await readFile(new TextEncoder().encode(page), 'bells.html')
  deepStrictEqual(
    passages.map(({ heading, content }) => [heading, content.replace(/\s+/g, ' ')]),
    [['Bells', `${long} It is old.`]],
  )
})
