import { deepStrictEqual, ok } from 'node:assert/strict'
import { readFile as readBytes } from 'node:fs/promises'
import { readFile } from '../testing/read-file.ts'
import { openPdf } from './pdf.ts'

const encode = (text: string) => Uint8Array.from(text, (sign) => sign.charCodeAt(0))
const stream = (content: string, entries = '') =>
  `<<${entries}/Length ${content.length}>> stream\n${content}\nendstream`

/** A one-page PDF with objects numbered from 10. It has no cross-reference table; parsers find them anyway. */
function pdf(
  content: string,
  { page = '', catalog = '', font = '', info = '', objects = [] as string[] } = {},
): Uint8Array {
  const all = [
    `<</Type /Catalog /Pages 2 0 R ${catalog}>>`,
    '<</Type /Pages /Kids [3 0 R] /Count 1>>',
    `<</Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources <</Font <</F1 5 0 R>> /XObject <</P 6 0 R>>>> ${page}>>`,
    stream(content),
    font || '<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>',
    stream('\0', '/Type /XObject /Subtype /Image /Width 900 /Height 900 /ColorSpace /DeviceGray /BitsPerComponent 8'),
    `<<${info}>>`,
    '<<>>',
    '<<>>',
    ...objects,
  ]
  const body = all.map((object, index) => `${index + 1} 0 obj ${object} endobj`)
  return encode(['%PDF-1.7', ...body, 'trailer <</Root 1 0 R /Info 7 0 R>>\n%%EOF'].join('\n'))
}
const said = (text: string, size = 11) => `BT /F1 ${size} Tf 60 700 Td (${text}) Tj ET`
const textOf = async (bytes: Uint8Array) =>
  (await readFile(bytes, 'x.pdf')).passages.map(({ content }) => content).join('\n')
const composite = (map: string, ordering: string) =>
  `<</Type /Font /Subtype /Type0 /BaseFont /X /Encoding /${map} /DescendantFonts [<</Type /Font /Subtype /CIDFontType0 /BaseFont /X
  /CIDSystemInfo <</Registry (Adobe) /Ordering (${ordering}) /Supplement 2>> /FontDescriptor <</Type /FontDescriptor /FontName /X /Flags 4>>>>]>>`

for (const [map, ordering, codes, text] of [
  ['90ms-RKSJ-H', 'Japan1', '939491e482cc96e9', '灯台の夜'],
  ['GBK-EUC-H', 'GB1', 'b8dbbfdab5c4b5c6cbfe', '港口的灯塔'],
  ['ETen-B5-H', 'CNS1', 'bf4fb6f0', '燈塔'],
  ['KSCms-UHC-H', 'Korea1', 'b5eeb4eb', '등대'],
] as const) {
  Deno.test(`the character map ${map} is available`, async () => {
    const bytes = pdf(`BT /F1 11 Tf 60 700 Td <${codes}> Tj ET`, { font: composite(map, ordering) })
    const content = await textOf(bytes)
    ok(content.includes(text), content)
  })
}

Deno.test('the bundled character maps match pdf.js', async () => {
  const { default: maps } = await import('./character-maps.json', { with: { type: 'json' } })
  const folder = new URL('../../../../../node_modules/pdfjs-dist/cmaps/', import.meta.url)
  const sizes = []
  for await (const { name } of Deno.readDir(folder)) {
    if (name.endsWith('.bcmap')) sizes.push([name, (await readBytes(new URL(name, folder))).length] as const)
  }
  deepStrictEqual(maps.sizes, Object.fromEntries(sizes))
})

const field = (entries: string) =>
  `<</Type /Annot /Subtype /Widget /Rect [200 695 400 712] /DA (/F1 11 Tf) ${entries}>>`
for (const [what, annotation, text] of [
  ['a field next to its label', field('/FT /Tx /T (ship) /V (Wandering Petrel)'), 'Ship: Wandering Petrel'],
  ['the displayed value of a choice', field('/FT /Ch /T (quay) /Opt [[(n) (North quay)]] /V (n)'), 'Ship: North quay'],
  ['the appearance of a field without a value', field('/FT /Tx /T (ship) /AP <</N 11 0 R>>'), 'Ship: Petrel'],
  ['a password field is skipped', field('/FT /Tx /Ff 8192 /T (word) /V (copper)'), 'Ship:'],
  [
    'a note',
    '<</Type /Annot /Subtype /Text /Rect [9 9 30 30] /Contents (Ask Brindlewick)>>',
    'Ship:\n\nAsk Brindlewick',
  ],
  [
    'a free text annotation',
    '<</Type /Annot /Subtype /FreeText /Rect [9 9 90 30] /Contents (Approved) /DA (/F1 9 Tf)>>',
    'Ship:\n\nApproved',
  ],
] as const) {
  Deno.test(`reading forms and annotations: ${what}`, async () => {
    const form = '/Type /XObject /Subtype /Form /BBox [0 0 200 17] /Resources <</Font <</F1 5 0 R>>>>'
    const objects = [annotation, stream('BT /F1 9 Tf 2 5 Td (Petrel) Tj ET', form)]
    const options = { page: '/Annots [10 0 R]', catalog: '/AcroForm <</Fields [10 0 R]>>', objects }
    deepStrictEqual(await textOf(pdf(said('Ship:'), options)), text)
  })
}

Deno.test('the text of a dynamic XFA form is read', async () => {
  const template =
    '<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"><template xmlns="http://www.xfa.org/schema/xfa-template/3.3/"><subform name="f" layout="tb"><pageSet><pageArea><contentArea w="200mm" h="250mm"/><medium stock="default" short="200mm" long="280mm"/></pageArea></pageSet><draw w="50mm" h="10mm"><value><text>Berth ticket</text></value></draw></subform></template></xdp:xdp>'
  const catalog = '/NeedsRendering true /AcroForm <</XFA 10 0 R>>'
  const reading = await readFile(pdf(said('Please wait.'), { catalog, objects: [stream(template)] }), 'form.pdf')
  deepStrictEqual([reading.pages, reading.passages[0]?.content], [1, 'Berth ticket'])
})

const PICTURE = 'q 500 0 0 700 40 60 cm /P Do Q '
for (const [what, content, stamped] of [
  ['a picture with a stamped line', PICTURE + said('Envelope ID 4F2A-77'), true],
  ['a picture below text', PICTURE + said('The keeper lights the lamp. '.repeat(9), 3), false],
  ['a small picture with its caption', `q 90 0 0 90 40 60 cm /P Do Q ${said('A lamp')}`, false],
  ['a text layer of symbols', said('%$#&!+=*%$#&!+=*%$#&!+=*a '.repeat(9), 3), true],
] as const) {
  Deno.test(`${what} ${stamped ? 'is' : 'is not'} offered for recognition`, async () => {
    const opened = await openPdf(pdf(content))
    const [line] = await opened.readPage(1)
    await opened.close()
    deepStrictEqual(line?.stamp ?? false, stamped)
  })
}

Deno.test('files embedded in a PDF are extracted', async () => {
  const names = '/Names <</EmbeddedFiles <</Names [(survey) 10 0 R]>>>>'
  const objects = ['<</Type /Filespec /F (survey.txt) /EF <</F 11 0 R>>>>', stream('Marrowport', '/Type /EmbeddedFile')]
  const opened = await openPdf(pdf(said('Cover'), { catalog: names, objects }))
  const [file] = await opened.attachments()
  await opened.close()
  deepStrictEqual([file?.name, new TextDecoder().decode(file?.bytes)], ['survey.txt', 'Marrowport'])
})

Deno.test('files pinned to a page of a PDF are extracted', async () => {
  const pin = '<</Subtype /FileAttachment /Rect [9 9 30 30] /FS 11 0 R>>'
  const file = '<</Type /Filespec /F (survey.txt) /EF <</F 12 0 R>>>>'
  const objects = [pin, file, stream('Marrowport', '/Type /EmbeddedFile')]
  const opened = await openPdf(pdf(said('Cover'), { page: '/Annots [10 0 R]', objects }))
  const files = await opened.attachments()
  await opened.close()
  deepStrictEqual(
    files.map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)]),
    [['survey.txt', 'Marrowport']],
  )
})

const outline = (...titles: string[]) => ({
  catalog: '/Outlines 10 0 R',
  objects: [
    `<</Type /Outlines /First 11 0 R /Last ${10 + titles.length} 0 R /Count ${titles.length}>>`,
    ...titles.map((title, index) => {
      const next = index + 1 < titles.length ? `/Next ${12 + index} 0 R` : ''
      return `<</Title (${title}) /Parent 10 0 R /Dest [3 0 R /Fit] ${next}>>`
    }),
  ],
})
const alt = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  xmlns:dc="http://purl.org/dc/elements/1.1/"><rdf:Description rdf:about=""><dc:title><rdf:Alt><rdf:li xml:lang="de">Hafenlampen</rdf:li>
  <rdf:li xml:lang="x-default">Harbour lamps</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>`
for (const [what, bytes, title, author] of [
  ['the first bookmark is not the title', pdf(said('Nine lanterns.'), outline('Foreword')), null, null],
  ['one of several bookmarks is not the title', pdf(said('Foreword'), outline('Foreword', 'Lamps')), null, null],
  [
    "a bookmark equal to the page's text is the title",
    pdf(said('Regatta poster'), outline('Regatta poster')),
    'Regatta poster',
    null,
  ],
  [
    'the default language of the title is used',
    pdf(said('Oil.'), { catalog: '/Metadata 10 0 R', objects: [stream(alt, '/Type /Metadata /Subtype /XML')] }),
    'Harbour lamps',
    null,
  ],
  [
    'UTF-8 in a literal string is decoded',
    pdf(said('Oil.'), { info: `/Author (${String.fromCharCode(...new TextEncoder().encode('Zoë Čapek'))})` }),
    null,
    'Zoë Čapek',
  ],
] as const) {
  Deno.test(`title and author: ${what}`, async () => {
    const reading = await readFile(bytes, 'x.pdf')
    deepStrictEqual([reading.title, reading.author], [title, author])
  })
}
