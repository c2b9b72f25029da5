import { deepStrictEqual, doesNotMatch, match, ok, rejects } from 'node:assert/strict'
import { Buffer } from 'node:buffer'
import { burn } from '@kenjiuno/msgreader/lib/Burner.js'
import { strToU8, zipSync } from 'fflate'
import { APPLE, bytesOf, GMAIL, OUTLOOK, WINMAIL } from '../../../../tests/support/sample-mails.ts'
import { Unreadable } from '../errors.ts'
import { openMail } from './email.ts'
import { readMail } from './extract.ts'
import { readFile } from './testing/read-file.ts'

const zip = (files: Record<string, string>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])))
const textOf = async (bytes: Uint8Array, name: string) =>
  (await readFile(bytes, name)).passages.map(({ heading, content }) => [heading, content.replace(/\n+/g, '\n')])
const core = (title: string) =>
  `<cp:coreProperties><dc:title>${title}</dc:title><dc:creator>Ada Keeper</dc:creator><dcterms:created>2024-03-05T10:00:00Z</dcterms:created></cp:coreProperties>`
const relations = (...targets: string[]) =>
  `<Relationships>${targets.map((target, index) => `<Relationship Id="r${index + 1}" Target="${target}"/>`).join('')}</Relationships>`

const odt = (body: string, footer = '') =>
  zip({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml': `<office:document-content><office:body><office:text>${body}</office:text></office:body></office:document-content>`,
    'styles.xml': `<office:document-styles><office:master-styles><style:footer>${footer}</style:footer></office:master-styles></office:document-styles>`,
    'meta.xml':
      '<office:document-meta><office:meta><dc:title>Untitled 1</dc:title><dc:creator>Ben</dc:creator><meta:initial-creator>Ada Keeper</meta:initial-creator><meta:creation-date>2024-03-05T10:00:00</meta:creation-date></office:meta></office:document-meta>',
  })

Deno.test('OpenDocument text keeps headings, lists, tables, spaces and notes, without deleted changes', async () => {
  const bytes = odt(
    '<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:h text:outline-level="1">Pumps</text:h><text:p>Bring:</text:p><text:list><text:list-item><text:p>a<text:s text:c="2"/>wrench</text:p></text:list-item></text:list><text:h text:outline-level="2">Priming</text:h><text:p>Wait.<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Never dry.</text:p></text:note-body></text:note></text:p><table:table><table:table-row><table:table-cell><text:p>hose<draw:frame><svg:desc>A coil</svg:desc></draw:frame></text:p></table:table-cell><table:table-cell><text:p>20 m &amp; more</text:p></table:table-cell></table:table-row></table:table>',
    '<text:p>Harbour office</text:p>',
  )
  deepStrictEqual(await textOf(bytes, 'pumps.odt'), [
    ['Pumps', 'Bring:\n• a wrench'],
    ['Pumps › Priming', 'Wait. (Never dry.)\nhose A coil | 20 m & more\nHarbour office'],
  ])
  const { title, author, dated, outline, rendition } = await readFile(bytes, 'pumps.odt')
  deepStrictEqual([title, author, dated], ['Pumps', 'Ada Keeper', '2024-03-05'])
  deepStrictEqual(outline, [
    { title: 'Pumps', level: 1, page: null },
    { title: 'Priming', level: 2, page: null },
  ])
  ok(rendition?.includes('<li>'))
})

Deno.test('a presentation has one section per slide, in order, with speaker notes', async () => {
  const shape = (type: string, ...texts: string[]) =>
    `<p:sp><p:nvPr><p:ph type="${type}"/></p:nvPr><p:txBody>${texts.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`).join('')}</p:txBody></p:sp>`
  const bytes = zip({
    'docProps/core.xml': core('Microsoft PowerPoint - x.pptx'),
    'ppt/presentation.xml':
      '<p:presentation><p:sldIdLst><p:sldId r:id="r2"/><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>',
    'ppt/_rels/presentation.xml.rels': relations('slides/slide1.xml', '/ppt/slides/slide2.xml'),
    'ppt/slides/slide1.xml': `<p:sld>${shape('title', 'Valves')}${shape('body', 'They close.')}${shape('sldNum', '2')}</p:sld>`,
    'ppt/slides/slide2.xml': `<p:sld>${shape('ctrTitle', 'Harbour pumps')}<p:grpSp>${shape('subTitle', 'An introduction')}</p:grpSp></p:sld>`,
    'ppt/slides/_rels/slide1.xml.rels': relations('../notesSlides/notesSlide1.xml'),
    'ppt/notesSlides/notesSlide1.xml': `<p:notes>${shape('body', 'Say why.')}${shape('sldNum', '2')}</p:notes>`,
  })
  deepStrictEqual(await textOf(bytes, 'pumps.pptx'), [
    ['Harbour pumps', 'An introduction'],
    ['Valves', '• They close.\nSay why.'],
  ])
  deepStrictEqual((await readFile(bytes, 'pumps.pptx')).title, 'Harbour pumps')
})

Deno.test('a workbook becomes tables, with strings, dates and booleans as displayed', async () => {
  const bytes = zip({
    'docProps/core.xml': core('Stock of pumps'),
    'xl/workbook.xml':
      '<workbook><sheets><sheet name="Pumps" r:id="r1"/><sheet name="Empty" r:id="r2"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relations('worksheets/sheet1.xml', 'worksheets/sheet2.xml'),
    'xl/sharedStrings.xml':
      '<sst><si><t>Name</t></si><si><t>Built</t></si><si><r><t>Harbour </t></r><r><t>pump</t></r><rPh><t>ポンプ</t></rPh></si></sst>',
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="d. mmm yyyy"/><numFmt numFmtId="171" formatCode="0 &quot;days&quot;"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="171"/></cellXfs></styleSheet>',
    'xl/worksheets/sheet1.xml':
      '<worksheet><sheetData><row><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row><row><c r="A2" t="s"><v>2</v></c><c r="B2" t="b"><v>1</v></c><c r="C2" s="1"><v>45356</v></c><c r="D2" s="2"><v>45356</v></c></row></sheetData></worksheet>',
    'xl/worksheets/sheet2.xml': '<worksheet><sheetData/></worksheet>',
  })
  deepStrictEqual(await textOf(bytes, 'stock.xlsx'), [
    ['Pumps › Name · Built', 'Harbour pump | TRUE | 5. Mar 2024 | 45356 days.'],
  ])
  const { title, rendition } = await readFile(bytes, 'stock.xlsx')
  deepStrictEqual(title, 'Stock of pumps')
  match(rendition ?? '', /<h2>Pumps<\/h2>[\s\S]*<td>Harbour pump<\/td>/)
})

const wideSheet = (names: readonly string[], rows: number) => {
  const cells = (texts: readonly string[]) =>
    `<row>${texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`
  return zip({
    'xl/workbook.xml': '<workbook><sheets><sheet name="Wide" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relations('worksheets/sheet1.xml'),
    'xl/worksheets/sheet1.xml': `<worksheet>${cells(names)}${cells(['1']).repeat(rows)}</worksheet>`,
  })
}

Deno.test('column names too long for a heading become a row', async () => {
  const names = Array.from({ length: 80 }, (_, index) => `column${index}`)
  const [[heading, content] = []] = await textOf(wideSheet(names, 1), 'wide.xlsx')
  ok(heading?.length === 500 && content?.includes('column79'))
})

Deno.test('a sheet of seven million characters is read with its comments', async () => {
  const bytes = zip({
    'xl/workbook.xml': '<workbook><sheets><sheet name="Tolls" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relations('worksheets/sheet1.xml'),
    'xl/worksheets/sheet1.xml': `<worksheet><row><c t="inlineStr"><is><t>Toll</t></is></c></row>${' '.repeat(7_000_000)}</worksheet>`,
    'xl/worksheets/_rels/sheet1.xml.rels': relations('../comments1.xml'),
    'xl/comments1.xml': '<comments><comment ref="A2"><text><t>Waived</t></text></comment></comments>',
  })
  deepStrictEqual(await textOf(bytes, 'tolls.xlsx'), [
    ['Tolls › Toll', 'Toll.'],
    ['Tolls', 'Waived'],
  ])
})

Deno.test('numbers are formatted as in the sheet, and comments, drawings, charts and headers are read', async () => {
  const cell = (style: number, value: number) => `<row><c s="${style}"><v>${value}</v></c></row>`
  const bytes = zip({
    'xl/workbook.xml':
      '<x:workbook xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><x:workbookPr date1904="1"/><x:sheets><x:sheet name="Tolls" r:id="r1"/></x:sheets></x:workbook>',
    'xl/_rels/workbook.xml.rels': relations('worksheets/sheet1.xml'),
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="165" formatCode="#,##0.00"/><numFmt numFmtId="166" formatCode="dd.mm.yyyy"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="10"/><xf numFmtId="20"/><xf numFmtId="165"/><xf numFmtId="14"/><xf numFmtId="166"/></cellXfs></styleSheet>',
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData><row><c t="inlineStr"><is><t>Toll</t></is></c></row>${cell(0, 19.989999999999998)}${cell(1, 0.025)}${cell(2, 0.5625)}${cell(3, 1234567.5)}${cell(4, 42735)}${cell(5, 42735)}</sheetData><headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"&amp;12Pilots &amp;&amp; Co.&amp;RPage &amp;P</oddHeader></headerFooter></worksheet>`,
    'xl/worksheets/_rels/sheet1.xml.rels': relations(
      '../comments1.xml',
      '../threadedComments/threadedComment1.xml',
      '../drawings/drawing1.xml',
    ),
    'xl/comments1.xml':
      '<comments><authors><author>Ada</author><author>tc={1}</author></authors><comment ref="A2" authorId="0"><text><t>Waived for the fleet</t></text></comment><comment ref="A3" authorId="1"><text><t>[Threaded comment] Your version of Excel: Since when?</t></text></comment></comments>',
    'xl/threadedComments/threadedComment1.xml':
      '<ThreadedComments><threadedComment ref="A3"><text>Since when?</text></threadedComment></ThreadedComments>',
    'xl/drawings/drawing1.xml': '<xdr:wsDr><xdr:sp><a:p><a:r><a:t>Ask the pilot</a:t></a:r></a:p></xdr:sp></xdr:wsDr>',
    'xl/drawings/_rels/drawing1.xml.rels': relations('../charts/chart1.xml'),
    'xl/charts/chart1.xml':
      '<c:chart><c:title><a:p><a:r><a:t>Tolls of a year</a:t></a:r></a:p></c:title><c:numCache><c:v>7</c:v></c:numCache></c:chart>',
  })
  deepStrictEqual(await textOf(bytes, 'tolls.xlsx'), [
    ['Tolls › Toll', '19.99.\n2.50%.\n13:30.\n1,234,567.50.\n2021-01-01.\n01.01.2021.'],
    ['Tolls', 'Waived for the fleet\nSince when?\nAsk the pilot\nTolls of a year\nPilots & Co. Page'],
  ])
})

Deno.test('titles, diagrams and comments of slides are read, empty slides are skipped', async () => {
  const title = (words: string) =>
    `<p:sld><p:sp><p:nvPr><p:ph type="title"/></p:nvPr><a:p><a:r><a:t>${words}</a:t></a:r></a:p></p:sp></p:sld>`
  const bytes = zip({
    'ppt/presentation.xml':
      '<p:presentation><p:sldId r:id="r1"/><p:sldId r:id="r2"/><p:sldId r:id="r3"/></p:presentation>',
    'ppt/_rels/presentation.xml.rels': relations('slides/slide1.xml', 'slides/slide2.xml', 'slides/slide3.xml'),
    'ppt/slides/slide1.xml': title('Voyage of the Petrel'),
    'ppt/slides/slide2.xml': '<p:sld><p:pic/></p:sld>',
    'ppt/slides/slide3.xml': `${title('Crew')}<p:pic><p:cNvPr descr="A mate"/></p:pic>`,
    'ppt/slides/_rels/slide3.xml.rels': relations('../diagrams/diagramData.xml', '../comments/comments1.xml'),
    'ppt/diagrams/diagramData.xml':
      '<dgm:dataModel><dgm:t><a:p><a:r><a:t>Boatswain</a:t></a:r></a:p></dgm:t></dgm:dataModel>',
    'ppt/comments/comments1.xml': '<p:cmLst><p:cm><p:text>Who else?</p:text></p:cm></p:cmLst>',
  })
  deepStrictEqual(await textOf(bytes, 'x.pptx'), [
    [null, 'Voyage of the Petrel'],
    ['Crew', 'A mate\nBoatswain\nWho else?'],
  ])
})

Deno.test('dates are recognized even if the cell has a type', async () => {
  const bytes = zip({
    'xl/workbook.xml': '<workbook><sheets><sheet name="Visits" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relations('worksheets/sheet1.xml'),
    'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
    'xl/worksheets/sheet1.xml':
      '<worksheet><sheetData><row><c t="inlineStr"><is><t>Day</t></is></c><c t="inlineStr"><is><t>Next</t></is></c><c t="inlineStr"><is><t>Count</t></is></c></row><row><c s="1" t="n"><v>46026</v></c><c s="1" t="d"><v>2026-01-05T09:30:00</v></c><c t="n"><v>46026</v></c></row></sheetData></worksheet>',
  })
  deepStrictEqual(await textOf(bytes, 'visits.xlsx'), [
    ['Visits › Day · Next · Count', '2026-01-04 | 2026-01-05 09:30 | 46026.'],
  ])
})

Deno.test('numbered Word lists stay numbered and continue after paragraphs, bullets stay bullets', async () => {
  const item = (text: string, list: string, level = 0) =>
    `<w:p><w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`
  const text = (words: string, style = '') => `<w:p>${style}<w:r><w:t>${words}</w:t></w:r></w:p>`
  const level = (depth: number, format: string) =>
    `<w:lvl w:ilvl="${depth}"><w:start w:val="1"/><w:numFmt w:val="${format}"/></w:lvl>`
  const bytes = zip({
    'word/numbering.xml': `<w:numbering><w:abstractNum w:abstractNumId="7">${level(0, 'decimal')}${level(1, 'lowerLetter')}</w:abstractNum><w:abstractNum w:abstractNumId="8">${level(0, 'bullet')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num></w:numbering>`,
    'word/styles.xml':
      '<w:styles><w:style w:styleId="ListNumber"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style></w:styles>',
    'word/document.xml': `<w:document><w:body>${item('Open', '1')}${item('the lid', '1', 1)}${item('the tap', '1', 1)}${item('Fill', '1')}${text('Wait an hour.')}${text('Close', '<w:pPr><w:pStyle w:val="ListNumber"/></w:pPr>')}${item('a wrench', '2')}</w:body></w:document>`,
  })
  const { rendition } = await readFile(bytes, 'steps.docx')
  deepStrictEqual(
    rendition?.replaceAll('\n', ''),
    '<ol><li>Open</li></ol><ol type="a"><li>the lid</li><li>the tap</li></ol><ol start="2"><li>Fill</li></ol><p>Wait an hour.</p><ol start="3"><li>Close</li></ol><ul><li>a wrench</li></ul>',
  )
})

Deno.test('RTF keeps headings, lists, code pages and Unicode, and drops everything that is not text', async () => {
  const source = String.raw`{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}}{\stylesheet{\s0 Normal;}{\s1 heading 1;}}
{\info{\title Pumps of the harbour}{\author Ada Keeper}{\creatim\yr2024\mo3\dy5\hr10}}{\*\generator Writer;}{\header Office\par}
\pard\s1 Pumps\par\pard The pump\'e4ge costs 5 \u8364?. Bring:\par
\pard\fi-360 \bullet\tab a wrench,\par\bullet\tab a lamp.\par
\pard\outlinelevel1 Priming\par\pard Wait.{\footnote Never dry.\par}{\pict\bin4 {}}{}\par
\trowd\intbl hose\cell 20 m\cell\row\pard Done.\par}`
  const bytes = strToU8(source)
  deepStrictEqual(await textOf(bytes, 'pumps.rtf'), [
    ['Pumps', 'The pumpäge costs 5 €. Bring:\n• a wrench,\n• a lamp.'],
    ['Pumps › Priming', 'Wait. (Never dry.)\nhose | 20 m\nDone.\nOffice'],
  ])
  const { title, author, dated } = await readFile(bytes, 'pumps.rtf')
  deepStrictEqual([title, author, dated], ['Pumps of the harbour', 'Ada Keeper', '2024-03-05'])
})

Deno.test('RTF is decoded with the charsets of its fonts', async () => {
  const source = String.raw`{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset238 A;}{\f1\fcharset204 B;}{\f2\fcharset128 C;}{\f3\fcharset0 D;}}
\'c8l\'e1nek {\f1 \'e6\'f3\'f0} \'c8\par\f2\'93\'94\par\f3 \'e9 \plain \'c8}`
  deepStrictEqual(await textOf(strToU8(source), 'a.rtf'), [[null, 'Článek жур Č\n灯\né Č']])
})

Deno.test('RTF headers and footers are read once', async () => {
  const source = String.raw`{\rtf1 {\headerl Harbour\tab{\b office}\par}{\headerr Harbour\tab office}{\footer Page {\field{\*\fldinst PAGE}{\fldrslt 1}}}A lamp\par}`
  deepStrictEqual(await textOf(strToU8(source), 'a.rtf'), [[null, 'A lamp\nHarbour office\nPage 1']])
})

Deno.test('an RTF control word named like an Object.prototype member adds no text', async () => {
  const source = String.raw`{\rtf1 A\constructor\valueof  lamp\par}`
  deepStrictEqual(await textOf(strToU8(source), 'a.rtf'), [[null, 'A lamp']])
})

const mail = (type: string, body: string) =>
  strToU8(
    `From: =?utf-8?q?Ada_K=C3=A9eper?= <ada@example.org>\r\nTo: Ben <ben@example.org>\r\nSubject: Hoses\r\nDate: Tue, 5 Mar 2024 10:00:00 +0100\r\nMIME-Version: 1.0\r\nContent-Type: ${type}\r\n\r\n${body}`,
  )

Deno.test('an email becomes its text under its subject, with the names of attachments', async () => {
  const bytes = mail(
    'multipart/mixed; boundary=x',
    '--x\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nThe pump needs a hose=2E <b>now</b>\r\n--x\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename=hose.pdf\r\n\r\n%PDF\r\n--x--\r\n',
  )
  const [passage] = await textOf(bytes, 'hoses.eml')
  deepStrictEqual(passage, [
    'Hoses',
    'From: Ada Kéeper <ada@example.org>\nTo: Ben <ben@example.org>\nDate: 2024-03-05\nAttachments: hose.pdf\nThe pump needs a hose. <b>now</b>',
  ])
  const { title, author, dated } = await readFile(bytes, 'hoses.eml')
  deepStrictEqual([title, author, dated], ['Hoses', 'Ada Kéeper', '2024-03-05'])
})

const KOI8 = Buffer.from('\xed\xe1\xf1\xcb \xd3\xd7\xc5\xd4\xc9\xd4 \xd7 \xcd\xcf\xd2\xc5. '.repeat(9), 'latin1')
const QUOTED = KOI8.toString('latin1').replaceAll(
  /[^ -~]/g,
  (sign) => `=${sign.charCodeAt(0).toString(16).toUpperCase()}`,
)
const WITHOUT_CHARSET: Readonly<Record<string, string>> = {
  unencoded: `Subject: Lamp\r\n\r\n${KOI8.toString('latin1')}`,
  'in base64': `Content-Type: text/plain;\r\n format=flowed\r\nContent-Transfer-Encoding: base64\r\n\r\n${KOI8.toString('base64')}`,
  'in quoted-printable': `Content-Transfer-Encoding: quoted-printable\r\n\r\n${QUOTED.replaceAll('. ', '.=\r\n ')}`,
  'in one of two parts': [
    'Content-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\nContent-Type: text/plain\r\n\r\n',
    KOI8.toString('latin1'),
    '\r\n--B\r\nContent-Type: text/plain; charset=us-ascii\r\n\r\nplain\r\n--B--',
  ].join(''),
}
for (const [place, mail] of Object.entries(WITHOUT_CHARSET)) {
  Deno.test(`text without a charset, ${place}, is decoded by its bytes`, async () => {
    const [passage] = await textOf(Buffer.from(mail, 'latin1'), 'lamp.eml')
    match(passage?.[1] ?? '', /светит в море/)
  })
}

Deno.test('Latin-1 headers are decoded, and header-like lines in the text are kept', async () => {
  const mail = 'Subject: Gr\xfc\xdfe vom W\xe4rter\r\n\r\nIt said:\r\nContent-Type: text/plain\r\nand no more.'
  const { title, passages } = await readFile(Buffer.from(mail, 'latin1'), 'lamp.eml')
  deepStrictEqual([title, passages[0]?.content.includes('Content-Type: text/plain\n')], ['Grüße vom Wärter', true])
})

Deno.test('an email without text becomes its subject', async () => {
  const [passage] = await textOf(strToU8('Subject: The bell is cast\r\n\r\n'), 'bell.eml')
  deepStrictEqual(passage?.[1], 'The bell is cast')
})

Deno.test('all attachments except inline pictures are extracted, and nested emails as a whole', async () => {
  const namesIn = async (message: string) => (await openMail(bytesOf(message))).attachments.map(({ name }) => name)
  deepStrictEqual(await Promise.all([OUTLOOK, GMAIL, APPLE, WINMAIL].map(namesIn)), [
    ['Angebot.pdf'],
    ['Preise €.csv', 'Offer.eml'],
    [],
    ['winmail.dat'],
  ])
  const { rendition } = readMail(await openMail(bytesOf(GMAIL)), ['/l/a/d/b', null])
  match(rendition ?? '', /Attachments: <a href="\/l\/a\/d\/b">Preise €.csv<\/a>, Offer.eml<\/p>/)
  doesNotMatch(rendition ?? '', /The offer itself/)
})

const STRUCTURED: readonly [string, string, string, (string | null)[][], string | null][] = [
  [
    'a calendar',
    'rope.ics',
    'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nDTSTART:20250109T090000Z\r\nSUMMARY:Meeting of the rope\r\n  makers\r\nDESCRIPTION:Bring hemp\\, tar\\nand a lamp\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
    [['Meeting of the rope makers', 'Dtstart: 2025-01-09 09:00\nDescription: Bring hemp, tar and a lamp']],
    'Meeting of the rope makers',
  ],
  [
    'a contact',
    'ada.vcf',
    `BEGIN:VCARD\nVERSION:3.0\nN:Reef;Ada;;;\nFN:Ada Reef\nADR;TYPE=home:;;1 Quay${';'.repeat(200_000)}Marrowport;;;\nNOTE;ENCODING=QUOTED-PRINTABLE:K=C3=\n=A4hne\nTITLE;QUOTED-PRINTABLE:Ma=EEtre\nEND:VCARD\n`,
    [['Ada Reef', 'Adr: 1 Quay, Marrowport\nNote: Kähne\nTitle: Maître']],
    'Ada Reef',
  ],
  [
    'a notebook',
    'tides.ipynb',
    '{"cells":[{"cell_type":"markdown","source":["# Tides\\n","of *Marrowport*"]},{"cell_type":"code","source":"print(1)","outputs":[{"text":["one\\n"]}]}],"nbformat":4}',
    [['Tides', 'of Marrowport\nprint(1)\none']],
    'Tides',
  ],
  [
    'a feed',
    'news.xml',
    '<?xml version="1.0"?><rss><channel><title>Harbour news</title><item><title>The bell</title><description>&lt;p&gt;It &lt;b&gt;rang&lt;/b&gt;.&lt;/p&gt;</description></item></channel></rss>',
    [['Harbour news › The bell', 'It rang.']],
    'Harbour news',
  ],
  ['XML without text', 'set.xml', '<?xml version="1.0"?><a b="c"/>', [[null, '<?xml version="1.0"?><a b="c"/>']], null],
]
for (const [what, name, source, passages, title] of STRUCTURED) {
  Deno.test(`${what} is read as text`, async () => {
    deepStrictEqual(await textOf(strToU8(source), name), passages)
    deepStrictEqual((await readFile(strToU8(source), name)).title, title)
  })
}

Deno.test("an email has its Cc, its date in the sender's time zone, and the subjects of forwarded emails", async () => {
  const bytes = strToU8(
    'Subject: Copper\nCc: Cy <cy@example.org>\nDate: Tue, 31 Dec 2024 20:30:00 -0800\nContent-Type: multipart/mixed; boundary=q\n\n--q\n\nSee below.\n--q\nContent-Type: message/rfc822\n\nSubject: Nine ingots\n\nWe need them.\n--q--\n',
  )
  deepStrictEqual(await textOf(bytes, 'a.eml'), [
    ['Copper', 'Cc: Cy <cy@example.org>\nDate: 2024-12-31\nAttachments: Nine ingots.eml\nSee below.'],
  ])
})

Deno.test('a mailbox has all of its emails, each decoded', async () => {
  const box =
    'From a@example.org Mon Jan  6 10:00:00 2025\nSubject: One\nContent-Transfer-Encoding: base64\n\nRGllIEdsb2NrZQ==\n\nFrom b@example.org Mon Jan  6 11:00:00 2025\nSubject: Two\n\n>From here on.\n'
  deepStrictEqual(await textOf(strToU8(box), 'a.mbox'), [
    ['One', 'Die Glocke'],
    ['Two', 'From here on.'],
  ])
})

Deno.test('a message saved by Outlook (.msg) is read', async () => {
  const property = (id: string, text: string) => {
    const bytes = Uint8Array.from([...text].flatMap((sign) => [sign.charCodeAt(0) & 255, sign.charCodeAt(0) >> 8]))
    return { name: `__substg1.0_${id}001F`, type: 2, length: bytes.length, binaryProvider: () => bytes }
  }
  const parts = [property('0037', 'The bell'), property('0C1A', 'Ada Kéeper'), property('1000', 'It rang at dusk.')]
  const saved = burn([{ name: 'Root Entry', type: 5, length: 0, children: [1, 2, 3] }, ...parts])
  deepStrictEqual(await textOf(saved, 'bell.msg'), [['The bell', 'From: Ada Kéeper\nIt rang at dusk.']])
  await rejects(readFile(saved.slice(0, 600), 'bell.msg'), /This email is damaged/)
})

/** A TNEF message: subject, text and one file, with a numeric and a named property. */
const TNEF =
  'eJ8+IgEAAQSAAAAHAAAAQ29wcGVyAAAAAQOQAABYAAAAAwAAAAMAFwABAAAAHgABgAcHBwcHBwcHBwcHBwcHBwcBAAAABgAAAGFiAGNkAAAAAQAAAAIAAAB4AAAAHgAAEAEAAAAPAAAAU2VlIHRoZSBwbGFucy4AAAAAAQKQAAAAAAAAAAABEIAAAAwAAABQTEFOU34xLlRYVAAAAAEPgAAADAAAAE5pbmUgaW5nb3RzAAAAAQWQAAAkAAAAAQAAAB8ABzcBAAAAFAAAAFAAbABhAG4AcwAuAHQAeAB0AAAAAAA='

Deno.test('winmail.dat (TNEF) is read, alone and within an email', async () => {
  const text = 'Attachments: Plans.txt\nSee the plans.'
  deepStrictEqual(await textOf(Buffer.from(TNEF, 'base64'), 'winmail.dat'), [['Copper', text]])
  const source = `Subject: Metal\nContent-Type: application/ms-tnef; name=winmail.dat\nContent-Disposition: attachment\nContent-Transfer-Encoding: base64\n\n${TNEF}\n`
  deepStrictEqual(await textOf(strToU8(source), 'a.eml'), [['Metal', text]])
  const { attachments } = await openMail(strToU8(source))
  deepStrictEqual(new TextDecoder().decode(attachments[0]?.bytes), 'Nine ingots\0')
  deepStrictEqual((await readFile(Buffer.from(TNEF, 'base64').subarray(0, 120), 'winmail.dat')).title, 'Copper')
})

Deno.test('a page saved as MHTML is read as the page', async () => {
  const html = `<html><head><title>On pumps</title></head><body><article><h1>On pumps</h1>${'<p>A pump lifts water from the lower tank to the upper one.</p>'.repeat(8)}</article></body></html>`
  const bytes = mail(
    'multipart/related; boundary=x',
    `--x\r\nContent-Type: text/html\r\nContent-Location: https://example.org/\r\n\r\n${html}\r\n--x--\r\n`,
  )
  const { mimeType, title, passages } = await readFile(bytes, 'page.mhtml')
  deepStrictEqual([mimeType, title], ['multipart/related', 'On pumps'])
  match(passages[0]?.content ?? '', /lifts water/)
})

const DEEP = '<w:sdt>'.repeat(100_000)
const laughs = `<!DOCTYPE x [<!ENTITY a "${'ha'.repeat(500)}">${Array.from({ length: 9 }, (_, index) => `<!ENTITY a${index} "${`&a${index - 1 < 0 ? '' : index - 1};`.repeat(10)}">`).join('')}]>`
const HOSTILE: readonly [string, Uint8Array, string][] = [
  ['nesting in ODT', odt('<text:section>'.repeat(100_000)), 'x.odt'],
  ['nesting in Word', zip({ 'word/document.xml': `<w:document><w:body>${DEEP}` }), 'x.docx'],
  ['nesting in slides', zip({ 'ppt/presentation.xml': DEEP, 'ppt/_rels/presentation.xml.rels': DEEP }), 'x.pptx'],
  ['nesting in sheets', zip({ 'xl/workbook.xml': DEEP }), 'x.xlsx'],
  ['values in TNEF', Buffer.from('eJ8+IgEAAQOQAAAMAAAAAQAAAAMQAQD/////AAA=', 'base64'), 'winmail.dat'],
  ['groups in RTF', strToU8(`{\\rtf1 ${'{'.repeat(1_000_000)}`), 'x.rtf'],
  ['unterminated quotes', zip({ 'word/document.xml': `<w:document>${'<a "'.repeat(200_000)}` }), 'x.docx'],
  [
    'a slide outside the archive',
    zip({
      'ppt/presentation.xml': '<p><p:sldId r:id="r1"/></p>',
      'ppt/_rels/presentation.xml.rels': relations('../../../etc/passwd'),
    }),
    'x.pptx',
  ],
]
for (const [name, bytes, fileName] of HOSTILE) {
  Deno.test(`${name}: rejected`, () => rejects(readFile(bytes, fileName), Unreadable))
}

Deno.test('entities are not expanded', async () => {
  const document = `${laughs}<w:document><w:body><w:p><w:r><w:t>&a8; The pump lifts water.</w:t></w:r></w:p></w:body></w:document>`
  const { passages } = await readFile(zip({ 'word/document.xml': document }), 'x.docx')
  ok((passages[0]?.content.length ?? 0) < 100)
})

Deno.test('self-closing elements do not nest', async () => {
  const properties = '<w:rPr><w:b/><w:i w:val="0"/><w:sz w:val="24"/></w:rPr>'
  const body = `<w:p><w:r>${properties}<w:t>The pump lifts water.</w:t></w:r></w:p>`.repeat(2000)
  const { passages } = await readFile(
    zip({ 'word/document.xml': `<w:document><w:body>${body}</w:body></w:document>` }),
    'x.docx',
  )
  ok(passages.length > 10)
})

Deno.test('other kinds of OpenDocument are rejected with advice', () =>
  rejects(
    readFile(zip({ mimetype: 'application/vnd.oasis.opendocument.graphics', 'content.xml': '<x/>' }), 'x.odt'),
    /is named a text document \(ODT\), but its content is a ZIP archive/,
  ))
