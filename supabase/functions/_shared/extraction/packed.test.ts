import { deepStrictEqual, match, ok, rejects, throws } from 'node:assert/strict'
import { CFB, utils, write } from '@e965/xlsx'
import { strToU8, zipSync } from 'fflate'
import { Unreadable } from '../errors.ts'
import { MAX_COVER_BYTES } from './cover.ts'
import { readFile } from './testing/read-file.ts'
import { Zip } from './zip.ts'

const TYPES = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`
const RELATIONS = `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`
const STYLES = `<?xml version="1.0"?><w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`
const WORD_RELATIONS = RELATIONS.replace('officeDocument" Target="word/document.xml', 'styles" Target="styles.xml')
const paragraph = (text: string, style = '') =>
  `<w:p>${style ? `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>` : ''}<w:r><w:t>${text}</w:t></w:r></w:p>`

function docx(body: string, more: Record<string, Uint8Array> = {}): Uint8Array {
  const document = `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`
  return zipSync({
    '[Content_Types].xml': strToU8(TYPES),
    '_rels/.rels': strToU8(RELATIONS),
    'word/document.xml': strToU8(document),
    'word/styles.xml': strToU8(STYLES),
    'word/_rels/document.xml.rels': strToU8(WORD_RELATIONS),
    ...more,
  })
}

const PACKAGE = `<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="one" href="text/one.xhtml" media-type="application/xhtml+xml"/><item id="two" href="text/two%20more.xhtml" media-type="application/xhtml+xml"/><item id="out" href="../../etc/passwd" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="two"/><itemref idref="out"/><itemref idref="one"/></spine></package>`
function epub(more: Record<string, Uint8Array> = {}): Uint8Array {
  return zipSync({
    mimetype: strToU8('application/epub+zip'),
    'META-INF/container.xml': strToU8(
      `<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
    ),
    'OEBPS/book.opf': strToU8(PACKAGE),
    'OEBPS/text/one.xhtml': strToU8(
      '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body><h1>The end</h1><p>The lamp went out.</p></body></html>',
    ),
    'OEBPS/text/two more.xhtml': strToU8(
      '<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>The beginning</h1><a id="p1"/><p>A keeper lit the lamp.<script>stolen()</script></p></body></html>',
    ),
    ...more,
  })
}

Deno.test('a Word document keeps its headings and has a readable copy', async () => {
  const bytes = docx(paragraph('Light', 'Heading1') + paragraph('A lamp burns &amp; shines.'))
  const reading = await readFile(bytes, 'light.docx')
  deepStrictEqual(
    reading.passages.map(({ heading, content }) => [heading, content]),
    [['Light', 'A lamp burns & shines.']],
  )
  match(reading.mimeType, /wordprocessingml/)
  deepStrictEqual(reading.rendition, '<h1>Light</h1>\n<p>A lamp burns &amp; shines.</p>\n')
})

Deno.test('a Word document keeps lists, tables, emphasis and tracked changes', async () => {
  const item = (text: string) => paragraph(text).replace('<w:p>', '<w:p><w:pPr><w:numPr/></w:pPr>')
  const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`
  const bold =
    '<w:p><w:r><w:rPr><w:b/><w:i w:val="0"/></w:rPr><w:t>Strong</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t xml:space="preserve"> new</w:t></w:r></w:ins></w:p>'
  const bytes = docx(`${item('One')}${item('Two')}<w:tbl><w:tr>${cell('a')}${cell('b')}</w:tr></w:tbl>${bold}`)
  const { rendition } = await readFile(bytes, 'x.docx')
  deepStrictEqual(
    rendition?.replaceAll('\n', ''),
    '<ul><li>One</li><li>Two</li></ul><table><tr><td><p>a</p></td><td><p>b</p></td></tr></table><p><strong>Strong</strong> new</p>',
  )
})

const text = (words: string) => `<w:r><w:t>${words}</w:t></w:r>`
const boxed = (words: string) => `<w:txbxContent>${paragraph(words)}</w:txbxContent>`
const notes = (kind: string, words: string) => ({
  [`word/${kind}s.xml`]: strToU8(`<w:${kind}s><w:${kind} w:id="2">${paragraph(words)}</w:${kind}></w:${kind}s>`),
})
const related = (type: string, target: string, content: string) => ({
  'word/_rels/document.xml.rels': strToU8(
    `<Relationships><Relationship Id="r9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/></Relationships>`,
  ),
  [`word/${target}`]: strToU8(content),
})
for (const [what, bytes, said] of [
  [
    'a text box, without duplicates',
    docx(
      `<w:p><w:r><w:t>Dear.</w:t><mc:AlternateContent><mc:Choice>${boxed('Call the pilot')}</mc:Choice><mc:Fallback>${boxed('Call the pilot')}</mc:Fallback></mc:AlternateContent></w:r></w:p>`,
    ),
    'Dear.\n\nCall the pilot',
  ],
  [
    'a footnote',
    docx(`<w:p>${text('Bell.')}<w:r><w:footnoteReference w:id="2"/></w:r></w:p>`, notes('footnote', 'Cast once')),
    'Bell. (Cast once)',
  ],
  [
    'a comment',
    docx(`<w:p>${text('Fee.')}<w:r><w:commentReference w:id="2"/></w:r></w:p>`, notes('comment', 'Paid')),
    'Fee. (Paid)',
  ],
  [
    'a drawing with text',
    docx(
      '<w:p><w:drawing><a:graphic><a:sp><a:p><a:r><a:t>Tar</a:t></a:r></a:p><a:p><a:r><a:t>pit</a:t></a:r></a:p></a:sp></a:graphic></w:drawing></w:p>',
    ),
    'Tar pit',
  ],
  ['an equation', docx('<w:p><m:oMath><m:r><m:t>A=π</m:t></m:r></m:oMath></w:p>'), 'A=π'],
  [
    'content controls around rows and cells',
    docx(
      `<w:tbl><w:sdt><w:sdtContent><w:tr><w:tc>${paragraph('Ship')}</w:tc><w:sdt><w:sdtContent><w:tc>${paragraph('Petrel')}</w:tc></w:sdtContent></w:sdt></w:tr></w:sdtContent></w:sdt></w:tbl>`,
    ),
    'Ship | Petrel',
  ],
  [
    'a symbol',
    docx(`<w:p>${text('Paid ')}<w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>${text(' in full')}</w:p>`),
    'Paid ✓ in full',
  ],
  [
    'a drop cap',
    docx(`<w:p><w:pPr><w:framePr w:dropCap="drop"/></w:pPr>${text('L')}</w:p>${paragraph('anterns burn')}`),
    'Lanterns burn',
  ],
  [
    'alternative text of a picture',
    docx(
      `<w:p>${text('Plan:')}<w:r><w:drawing><wp:docPr descr="A quay"/><wp:docPr descr="a.png"/></w:drawing></w:r></w:p>`,
    ),
    'Plan: A quay',
  ],
  ['headings only', docx(paragraph('Ropes', 'Heading1') + paragraph('Lamps', 'Heading1')), 'Ropes\n\nLamps'],
  [
    'an embedded HTML page',
    docx('<w:altChunk r:id="r9"/>', related('aFChunk', 'chunk.html', '<html><body><p>copper bell</p></body></html>')),
    'copper bell',
  ],
  [
    'a letterhead',
    docx(paragraph('Dear.'), related('header', 'header1.xml', `<w:hdr>${paragraph('Quay office')}</w:hdr>`)),
    'Dear.\n\nQuay office',
  ],
  [
    'a diagram',
    docx(
      paragraph('Crew.'),
      related(
        'diagramData',
        'data1.xml',
        '<dgm:dataModel><dgm:t><a:p><a:r><a:t>Pilot</a:t></a:r></a:p></dgm:t></dgm:dataModel>',
      ),
    ),
    'Crew.\n\nPilot',
  ],
  [
    'a differently named part, other prefixes and strict OOXML',
    zipSync({
      '_rels/.rels': strToU8(
        '<x:Relationships xmlns:x="http://schemas.openxmlformats.org/package/2006/relationships"><x:Relationship Type="http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument" Target="word/document2.xml"/></x:Relationships>',
      ),
      'word/document2.xml': strToU8(
        '<document xmlns="http://purl.oclc.org/ooxml/wordprocessingml/main"><body><p><r><t>Oil.</t></r></p></body></document>',
      ),
    }),
    'Oil.',
  ],
] as const) {
  Deno.test(`a Word document is read with ${what}`, async () => {
    const { passages } = await readFile(bytes, 'x.docx')
    deepStrictEqual(passages.map(({ content }) => content).join('\n\n'), said)
  })
}

Deno.test('the first chapter heading is not the title', async () => {
  const reading = await readFile(docx(paragraph('Handbook') + paragraph('Chapter 1', 'Heading1')), 'x.docx')
  deepStrictEqual(reading.title, null)
})

const openDocument = (kind: string, body: string) =>
  zipSync({
    mimetype: strToU8(`application/vnd.oasis.opendocument.${kind}`),
    'content.xml': strToU8(`<office:body><office:${kind}>${body}</office:${kind}></office:body>`),
  })
const oldSheet = (bookType: 'biff8' | 'xlsb' = 'biff8') => {
  const sheet = utils.aoa_to_sheet([
    ['Toll', 'Share'],
    ['Lantern', { t: 'n', v: 0.025, z: '0.00%' }],
  ])
  const bytes: ArrayBuffer = write({ SheetNames: ['Tolls'], Sheets: { Tolls: sheet } }, { type: 'array', bookType })
  return new Uint8Array(bytes)
}
/** Adds damaged text boxes, one in two pieces, the title of a chart and a footer to the end of the only sheet. */
const besideSheet = (bytes: Uint8Array) => {
  const file = CFB.read(bytes, { type: 'array' })
  const entry = CFB.find(file, '/Workbook')
  const record = (type: number, content: readonly number[]) => [type & 255, type >> 8, content.length, 0, ...content]
  const low = (text: string) => [0, ...Buffer.from(text, 'latin1')]
  const wide = (text: string) => [1, ...Buffer.from(text, 'utf16le')]
  const end = record(0xa, [])
  const chart = [...record(0x809, [0, 6, 32, 0]), ...record(0x100d, [0, 0, 5, ...low('Ships')]), ...end]
  const shape = record(0x5d, [0x15, 0, 0x12, 0, 6, 0, 1, ...Array(19).fill(0)])
  const boxOf = (length: number) => [...shape, ...record(0x1b6, [...Array(10).fill(0), length, 0, ...Array(6).fill(0)])]
  const damaged = [...boxOf(9), ...record(0x3c, low('Lost')), ...boxOf(3), ...record(0x3c, [])]
  const box = [...damaged, ...boxOf(13), ...record(0x3c, low('Pay at '))]
  const more = [...box, ...record(0x3c, wide('Győr ›')), ...record(0x3c, low('formats'))]
  const footer = record(0x15, [17, 0, ...low('&L&"Arial"Harbour')])
  const content = [...[...(entry?.content ?? [])].slice(0, -4), ...footer, ...chart, ...more, ...end]
  const changed = CFB.utils.cfb_new()
  CFB.utils.cfb_add(changed, '/Workbook', new Uint8Array(content))
  return new Uint8Array(CFB.write(changed, { type: 'array' }))
}
const compound = (stream: string, content: readonly number[]) => {
  const file = CFB.utils.cfb_new()
  CFB.utils.cfb_add(file, stream, new Uint8Array(content))
  return new Uint8Array(CFB.write(file, { type: 'array' }))
}
/** The header of a Word 95 document, and its text in a code page after it. */
const oldWords = (text: readonly number[], characterSet = 0) => {
  const header = new DataView(new ArrayBuffer(768))
  header.setUint16(2, 104, true)
  header.setUint16(20, characterSet, true)
  header.setUint32(24, 768, true)
  header.setUint32(28, 768 + text.length, true)
  return compound('/WordDocument', [...new Uint8Array(header.buffer), ...text])
}
/** A Word 95 document saved fast in UTF-16: its text is in pieces behind the header, and an older text stands before them. */
const fastSavedWords = (pieces: readonly string[]) => {
  const old = Buffer.from('Old', 'utf16le')
  const texts = pieces.map((piece) => Buffer.from(piece, 'utf16le')).toReversed()
  const table = new DataView(new ArrayBuffer(5 + 4 + 12 * pieces.length))
  table.setUint8(0, 2)
  table.setUint32(1, 4 + 12 * pieces.length, true)
  const header = new DataView(new ArrayBuffer(768))
  let place = 768 + old.length
  texts.forEach((text, index) => {
    // The last piece stands first in the file.
    table.setUint32(5 + 4 * (pieces.length + 1) + 8 * (pieces.length - 1 - index) + 2, place, true)
    place += text.length
  })
  pieces.reduce((at, piece, index) => {
    table.setUint32(5 + 4 * (index + 1), at + piece.length, true)
    return at + piece.length
  }, 0)
  header.setUint16(2, 104, true)
  header.setUint16(10, 0x1004, true)
  header.setUint32(24, 768, true)
  header.setUint32(28, 768 + old.length, true)
  header.setUint32(0x160, place, true)
  const parts = [new Uint8Array(header.buffer), old, ...texts, new Uint8Array(table.buffer)]
  return compound(
    '/worddocument',
    parts.flatMap((part) => [...part]),
  )
}
/** Records of a pre-2007 presentation: a list with a title and a text, a master, and a shape on a slide. */
const oldSlides = () => {
  const record = (type: number, content: readonly number[], version = 0): number[] => {
    const size = content.length
    return [version & 255, version >> 8, type & 255, type >> 8, size & 255, size >> 8, 0, 0, ...content]
  }
  const text = (words: string) =>
    record(
      0xfa8,
      Array.from(words, (sign) => sign.charCodeAt(0)),
    )
  const header = (kind: number) => record(0xf9f, [kind, 0, 0, 0])
  const list = record(0xff0, [...header(0), ...text('Crew'), ...header(1), ...text('Boatswain')], 0xf)
  const string = (words: string, instance: number) => record(0xfba, [...Buffer.from(words, 'utf16le')], instance << 4)
  const instruction = [...record(0xbc3, [0, 0, 0, 0, 6, 0, 0, 0]), ...text('Click to edit notes')]
  const comment = record(0x2ee0, [...string('Ada', 0), ...string('Who rows?', 1)], 0xf)
  const records = [
    list,
    record(0x3f8, text('Click to edit'), 0xf),
    record(0x3f0, record(0xf004, instruction, 0xf), 0xf),
    record(0x3ee, [...text('Pilot'), ...record(0x138b, comment)], 0xf),
    record(0xfd9, string('Harbour office', 2), 0xf),
  ].flat()
  return compound('/PowerPoint Document', records)
}
for (const [name, bytes, said] of [
  [
    'tolls.ods',
    openDocument(
      'spreadsheet',
      '<table:table table:name="Tolls"><table:table-row><table:table-cell><text:p>Toll</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell table:number-columns-repeated="2"><text:p>2.50%</text:p></table:table-cell></table:table-row></table:table>',
    ),
    [['Tolls › Toll', '2.50% | 2.50%.']],
  ],
  [
    'crew.odp',
    openDocument(
      'presentation',
      '<draw:page><draw:frame presentation:class="title"><text:p>Crew</text:p></draw:frame><draw:frame><text:p>Pilot</text:p></draw:frame></draw:page><draw:page/>',
    ),
    [['Crew', 'Pilot']],
  ],
  ['tolls.xlsb', oldSheet('xlsb'), [['Tolls › Toll · Share', 'Lantern | 2.50%.']]],
  ['tolls.xls', oldSheet(), [['Tolls › Toll · Share', 'Lantern | 2.50%.']]],
  [
    'beside.xls',
    besideSheet(oldSheet()),
    [
      ['Tolls › Toll · Share', 'Lantern | 2.50%.'],
      ['Tolls', 'Ships\n\nPay at Győr ›\n\nHarbour'],
    ],
  ],
  ['mac.doc', oldWords([0x63, 0x61, 0x66, 0x8e, 7, 0x13, 0x50, 0x14, 0x32, 0x15], 0x100), [[null, 'café 2']]],
  ['windows.doc', oldWords([0xcc, 0xee, 0xf0, 0xe5, 0x20, 0xf1, 0xef, 0xe8, 0xf2, 0x0e]), [[null, 'Море спит']]],
  ['fast.doc', fastSavedWords(['The ', 'lamp', ' is lit.']), [[null, 'The lamp is lit.']]],
  [
    'crew.ppt',
    oldSlides(),
    [
      ['Crew', 'Boatswain'],
      [null, 'Pilot\n\nWho rows?\n\nHarbour office'],
    ],
  ],
] as const) {
  Deno.test(`${name} is read, even without its extension`, async () => {
    for (const fileName of [name, 'file']) {
      const { passages } = await readFile(bytes, fileName)
      deepStrictEqual(
        passages.map(({ heading, content }) => [heading, content]),
        said,
      )
    }
  })
}

/** A Word 97 document with the given text, of which a range is deleted, next to an embedded document with the same streams. */
function wordsInPieces(text: string, footnote: string, deleted: readonly [number, number], title: string): Uint8Array {
  const [stream, table, about] = [new Uint8Array(2048), new Uint8Array(256), new Uint8Array(200)]
  const [header, pieces, properties] = [stream, table, about].map((bytes) => new DataView(bytes.buffer))
  const set = (view: DataView | undefined, at: number, ...values: number[]) => {
    for (const [index, value] of values.entries()) view?.setUint32(at + 4 * index, value, true)
  }
  const start = 1024
  stream.set([0xec, 0xa5, 0xc1, 0])
  set(header, 0x4c, text.length, footnote.length)
  set(header, 0xfa, 100, 12)
  stream.set(
    Uint8Array.from(text + footnote, (sign) => sign.charCodeAt(0)),
    start,
  )
  // Two pieces, the second in UTF-16.
  table.set([2], 0)
  set(pieces, 1, 28, 0, text.length, text.length + footnote.length, 0, 0, 0, 0)
  set(pieces, 5 + 12 + 2, 0x40000000 + 2 * start)
  set(pieces, 5 + 12 + 10, start + text.length)
  stream.set(new Uint8Array(Uint16Array.from(footnote, (sign) => sign.charCodeAt(0)).buffer), start + text.length)
  // A page of properties: one run that is deleted.
  set(pieces, 108, 1)
  set(header, 512, start + deleted[0], start + deleted[1])
  stream.set([100], 520)
  stream.set([3, 0, 8, 1], 512 + 200)
  stream.set([1], 1023)
  set(properties, 44, 48, 0, 2, 1, 100, 2, 112)
  set(properties, 148, 2, 1251)
  set(properties, 160, 0x1e, title.length)
  about.set(
    Uint8Array.from(title, (sign) => sign.charCodeAt(0)),
    168,
  )
  const file = CFB.utils.cfb_new()
  CFB.utils.cfb_add(file, '/ObjectPool/_1/0Table', new Uint8Array(8))
  CFB.utils.cfb_add(file, '/ObjectPool/_1/WordDocument', new Uint8Array(600))
  CFB.utils.cfb_add(file, '/WordDocument', stream)
  CFB.utils.cfb_add(file, '/0Table', table)
  CFB.utils.cfb_add(file, '/\x05SummaryInformation', about)
  return new Uint8Array(CFB.write(file, { type: 'buffer' }))
}

Deno.test('a Word 97 document is read without deleted text, with fields, hyphens, notes and its title', async () => {
  const text =
    'It sank rang.\x13 PAGE \x147\x15 \x13EQ \\o\\ad(\\s\\up 9(ru),base)\x15 Quay\x1fside Nord\x1eOst\rOil\x073\x07\x07Tar\r'
  const file = wordsInPieces(text, '\x02 Größe', [3, 8], '\xcc\xe0\xff\xea')
  const { title, passages } = await readFile(file, 'bell.doc')
  deepStrictEqual(
    [title, passages.map(({ content }) => content)],
    ['Маяк', ['It rang.7 base Quay\xadside Nord-Ost\n\nOil 3\n\nTar\n\nGröße']],
  )
})

Deno.test('a long string shared by many cells counts once per cell', async () => {
  const bytes = zipSync({
    'xl/workbook.xml': strToU8('<workbook><sheets><sheet name="a" r:id="r1"/></sheets></workbook>'),
    'xl/_rels/workbook.xml.rels': strToU8('<Relationships><Relationship Id="r1" Target="sheet.xml"/></Relationships>'),
    'xl/sharedStrings.xml': strToU8(`<sst><si><t>${'x'.repeat(1_000_000)}</t></si></sst>`),
    'xl/sheet.xml': strToU8(`<worksheet><row>${'<c t="s"><v>0</v></c>'.repeat(17)}</row></worksheet>`),
  })
  await rejects(readFile(bytes, 'x.xlsx'), /million characters/)
})

Deno.test('encrypted documents are reported', async () => {
  const odt = zipSync({
    mimetype: strToU8('application/vnd.oasis.opendocument.text'),
    'content.xml': Uint8Array.of(9, 8, 7),
    'META-INF/manifest.xml': strToU8('<manifest:manifest><manifest:encryption-data/></manifest:manifest>'),
  })
  await rejects(readFile(compound('/EncryptedPackage', [1]), 'x.xlsx'), /protected with a password/)
  await rejects(readFile(odt, 'x.odt'), /protected with a password/)
})

Deno.test('a book is read in spine order, and paths outside the archive are ignored', async () => {
  const reading = await readFile(epub(), 'book.epub')
  deepStrictEqual(
    reading.passages.map(({ heading, content }) => [heading, content]),
    [
      ['The beginning', 'A keeper lit the lamp.'],
      ['The end', 'The lamp went out.'],
    ],
  )
  deepStrictEqual(reading.mimeType, 'application/epub+zip')
  ok(!reading.rendition?.includes('/>'))
})

Deno.test("text in a book's drawings is read, and a book of pictures is reported", async () => {
  const opf = (type: string, href: string) =>
    `<opf:package xmlns:opf="http://www.idpf.org/2007/opf"><opf:manifest><opf:item id="a" href="${href}" media-type="${type}"/></opf:manifest><opf:spine><opf:itemref idref="a"/></opf:spine></opf:package>`
  const drawn = epub({
    'OEBPS/book.opf': strToU8(opf('image/svg+xml', 'a.svg')),
    'OEBPS/a.svg': strToU8(
      '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><text>The copper bell</text></svg>',
    ),
  })
  deepStrictEqual((await readFile(drawn, 'book.epub')).passages[0]?.content, 'The copper bell')
  const painted = epub({ 'OEBPS/book.opf': strToU8(opf('image/png', 'a.png')), 'OEBPS/a.png': strToU8('x') })
  await rejects(readFile(painted, 'book.epub'), /This book has no text, only pictures/)
})

Deno.test('the title of a book can be a number', async () => {
  const opf = PACKAGE.replace('<manifest>', '<metadata><dc:title>1984</dc:title></metadata><manifest>')
  deepStrictEqual((await readFile(epub({ 'OEBPS/book.opf': strToU8(opf) }), 'book.epub')).title, '1984')
})

Deno.test('DRM is reported, obfuscated fonts are accepted', async () => {
  const encryption = (algorithm: string) => ({
    'META-INF/encryption.xml': strToU8(`<encryption><EncryptionMethod Algorithm="${algorithm}"/></encryption>`),
  })
  await rejects(
    readFile(epub(encryption('http://www.w3.org/2001/04/xmlenc#aes128-cbc')), 'book.epub'),
    /protected by its store/,
  )
  await readFile(epub(encryption('http://www.idpf.org/2008/embedding')), 'book.epub')
})

Deno.test('a table becomes rows under its column names', async () => {
  const source = 'name;born;"said; once"\r\nAda;1815;"a ""poetical"" science"\r\n\r\nMary;1780;"two\nlines"\r\n'
  const reading = await readFile(new TextEncoder().encode(source), 'people.csv')
  deepStrictEqual(
    reading.passages.map(({ heading, content }) => [heading, content]),
    [['name · born · said; once', 'Ada | 1815 | a "poetical" science.\nMary | 1780 | two\nlines.']],
  )
  match(reading.rendition ?? '', /<th>said; once<\/th>.*<td>a &quot;poetical&quot; science<\/td>/s)
})

for (const [kind, source, heading, content] of [
  ['quotes after a space', 'name, town\n1, "Smith, John"\n', 'name · town', '1 | Smith, John.'],
  ['quotes within a cell', 'name,size\n"abc"def,5"\nnext,6\n', 'name · size', '"abc"def | 5".\nnext | 6.'],
  ['a single row', 'bindweed,12\n', null, 'bindweed | 12.'],
] as const)
  Deno.test(`a table with ${kind} keeps its text`, async () => {
    const { passages } = await readFile(new TextEncoder().encode(source), 'x.csv')
    deepStrictEqual(
      passages.map((passage) => [passage.heading, passage.content]),
      [[heading, content]],
    )
  })

Deno.test('a table can have carriage returns as line ends', async () => {
  const reading = await readFile(new TextEncoder().encode('a\tb\r1\t"2\r3"\r\r4\t5\r'), 'mac.csv')
  deepStrictEqual(
    reading.passages.map(({ heading, content }) => [heading, content]),
    [['a · b', '1 | 2\n3.\n4 | 5.']],
  )
})

Deno.test('a hostile table is escaped', async () => {
  const reading = await readFile(new TextEncoder().encode('a,b\n<script>x</script>,=cmd()\n'), 'x.csv')
  ok(!reading.rendition?.includes('<script>'))
})

Deno.test('a picture has its size and no passages', async () => {
  const png = Uint8Array.from(
    atob('iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAACddGYaAAAADElEQVR4nGNgwAEAABsAAf4r0vkAAAAASUVORK5CYII='),
    (sign) => sign.charCodeAt(0),
  )
  const { width, height, passages, mimeType } = await readFile(png, 'dot.png')
  deepStrictEqual([width, height, passages, mimeType], [3, 2, [], 'image/png'])
  await rejects(readFile(png.slice(0, 9), 'dot.png'), /This picture is damaged/)
})

Deno.test('a ZIP bomb is rejected, whatever its extension', async () => {
  const zeros = new Uint8Array(70 * 2 ** 20)
  for (const [bytes, name] of [
    [docx('', { 'word/document.xml': zeros }), 'bomb.docx'],
    [epub({ 'OEBPS/text/one.xhtml': zeros }), 'bomb.epub'],
    [docx('', { 'word/document.xml': zeros }), 'bomb.zip'],
  ] as const) {
    ok(bytes.length < 200_000)
    await rejects(
      readFile(bytes, name),
      (error) => error instanceof Unreadable && /unpacks to far more/.test(error.message),
    )
  }
  deepStrictEqual((await readFile(zipSync({ zeros }), 'zeros.zip')).passages.length, 1)
})

Deno.test('the total size and the number of entries are limited', () => {
  const bytes = zipSync({ a: new Uint8Array(400), b: new Uint8Array(400), c: new Uint8Array(400) })
  const archive = new Zip(bytes, { entries: 3, entry: 500, total: 1000 })
  archive.read('a')
  archive.read('b')
  throws(() => archive.read('c'), /unpacks to far more/)
  throws(() => new Zip(bytes, { entries: 2, entry: 500, total: 1000 }), /unpacks to far more/)
})

Deno.test('the size stated by an entry is not trusted', () => {
  const bytes = zipSync({ a: new Uint8Array(1000) })
  const view = new DataView(bytes.buffer)
  const central = bytes.findIndex(
    (_, at) => at > 0 && view.byteLength - at > 4 && view.getUint32(at, true) === 0x02014b50,
  )
  view.setUint32(central + 24, 1, true)
  throws(() => new Zip(bytes, { entries: 10, entry: 500, total: 500 }).read('a'), /unpacks to far more/)
})

const REFUSED: readonly [string, Uint8Array, RegExp][] = [
  ['truncated', docx(paragraph('Words.')).slice(0, 500), /damaged and can’t be unpacked/],
  [
    'random bytes',
    Uint8Array.from([0x50, 0x4b, 3, 4, ...Array.from({ length: 300 }, (_, n) => (n * 37) % 256)]),
    /damaged/,
  ],
  ['without text', docx(paragraph('')), /This document has no text/],
  ['with broken XML', docx('<w:p><w:r>'), /damaged and can’t be read|no text/],
]
for (const [name, bytes, message] of REFUSED) {
  Deno.test(`a Word document that is ${name} is rejected with advice`, async () => {
    await rejects(readFile(bytes, 'x.docx'), (error) => error instanceof Unreadable && message.test(error.message))
  })
}

function png(width: number, height: number, length = 64): Uint8Array {
  const bytes = new Uint8Array(length)
  bytes.set(strToU8('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', true))
  new DataView(bytes.buffer).setUint32(16, width)
  new DataView(bytes.buffer).setUint32(20, height)
  return bytes
}

Deno.test('a book has the cover named in its package', async () => {
  const coverOf = async (item: string, bytes: Uint8Array) => {
    const opf = strToU8(
      PACKAGE.replace('<manifest>', `<metadata><meta name="cover" content="two"/></metadata><manifest>${item}`),
    )
    const { cover } = await readFile(epub({ 'OEBPS/book.opf': opf, 'OEBPS/images/front page.png': bytes }), 'book.epub')
    return cover && [cover.mimeType, cover.ending, cover.bytes.length]
  }
  const item = '<item id="front" href="images/front%20page.png" media-type="image/jpeg" properties="svg cover-image"/>'
  deepStrictEqual(await coverOf(item, png(600, 800)), ['image/png', 'png', 64])
  const older = item.replace('id="front"', 'id="two"').replace(/ properties="[^"]*"/, '')
  deepStrictEqual(await coverOf(older, png(600, 800)), ['image/png', 'png', 64])
  const unfit = [png(600, 800, MAX_COVER_BYTES + 1), png(1, 1), png(600, 60_000), strToU8('<svg/>'), new Uint8Array()]
  for (const bytes of unfit) deepStrictEqual(await coverOf(item, bytes), null)
  deepStrictEqual(await coverOf(item.replace('images/', '../../images/'), png(600, 800)), null)
  deepStrictEqual((await readFile(epub(), 'book.epub')).cover, null)
})
