// Ways of writing files that programs have, one small file each, with the text that has to be found.
import { deepStrictEqual, doesNotMatch, ok } from 'node:assert/strict'
import { Buffer } from 'node:buffer'
import { strToU8, zipSync } from 'fflate'
import { openMail } from './email.ts'
import { readFile } from './testing/read-file.ts'

const zip = (files: Readonly<Record<string, string>>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])))
const latin = (text: string): Uint8Array => Buffer.from(text, 'latin1')
const relations = (...targets: string[]) =>
  `<Relationships>${targets.map((target, index) => `<Relationship Id="r${index + 1}" Target="${target}"/>`).join('')}</Relationships>`

const mail = (head: string, body: string) => `Subject: Bell\nMIME-Version: 1.0\n${head}\n\n${body}`
const parts = (...all: string[]) =>
  mail('Content-Type: multipart/mixed; boundary=q', `${all.map((part) => `--q\n${part}\n`).join('')}--q--\n`)
const page = (body: string) => `<!doctype html><html><head><title>Log</title></head><body>${body}</body></html>`
const word = (body: string, more: Readonly<Record<string, string>> = {}) =>
  zip({ 'word/document.xml': `<w:document><w:body>${body}</w:body></w:document>`, ...more })
const sheet = (row: string, more: Readonly<Record<string, string>> = {}) =>
  zip({
    'xl/workbook.xml': '<workbook><sheets><sheet name="A" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relations('worksheets/sheet1.xml', 'elsewhere/sharedStrings.xml'),
    'xl/worksheets/sheet1.xml': `<worksheet><row>${row}</row></worksheet>`,
    ...more,
  })
const openText = (content: string, more: Readonly<Record<string, string>> = {}) =>
  zip({ 'content.xml': `<office:body>${content}</office:body>`, ...more })
const book = (item: string, files: Readonly<Record<string, string>>, titles = '') =>
  zip({
    'META-INF/container.xml': '<container><rootfile full-path="a.opf"/></container>',
    'a.opf': `<package><metadata>${titles}</metadata><manifest>${item}</manifest><spine><itemref idref="a"/></spine></package>`,
    ...files,
  })
const rtf = (body: string, head = '\\ansi') => latin(`{\\rtf1${head} ${body}\\par}`)

const READ: readonly [what: string, name: string, file: string | Uint8Array, text: string][] = [
  [
    'an email with an invitation',
    'a.eml',
    parts(
      'Content-Type: text/plain\n\nPlease come.',
      'Content-Type: text/calendar\n\nBEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Rope makers\nLOCATION:Marrowport\nEND:VEVENT\nEND:VCALENDAR',
    ),
    'Please come.|Location: Marrowport',
  ],
  [
    'a report on an email that could not be delivered',
    'a.eml',
    parts('\nSorry.', 'Content-Type: message/delivery-status\n\nFinal-Recipient: rfc822; ada@example.org'),
    'Sorry.|Final-Recipient: rfc822; ada@example.org',
  ],
  ['an email in enriched text', 'a.eml', mail('Content-Type: text/enriched', 'It <bold>rang</bold>.'), 'It rang.'],
  ['an email with classic Mac line ends', 'a.eml', mail('X: y', 'It rang.').replaceAll('\n', '\r'), 'It rang.'],
  [
    'an email that continues a line after spaces',
    'a.eml',
    mail('Content-Transfer-Encoding: quoted-printable', 'It ra=  \nng.'),
    'It rang.',
  ],
  [
    'an email in UTF-8 that claims to be ASCII',
    'a.eml',
    mail('Content-Type: text/plain; charset=us-ascii', 'Die Glocke läutete über den Kähnen.'),
    'Die Glocke läutete über den Kähnen.',
  ],
  [
    'an email in a code page of DOS',
    'a.eml',
    latin(mail('Content-Type: text/plain; charset="ibm850"', 'Die Glocke l\x84utete \x81ber den K\x84hnen.')),
    'Die Glocke läutete über den Kähnen.',
  ],
  [
    'an email saved by Apple Mail',
    'a.emlx',
    `25\nSubject: Bell\n\nIt rang.\n\n<plist><integer>7</integer></plist>`,
    'It rang.',
  ],
  [
    'a mailbox with a line of text that begins with From',
    'a.mbox',
    'From a@b.example Mon Jan  6 10:00:00 2025\nSubject: One\n\nIt rang.\n\nFrom then on it was still.\n',
    'It rang.|From then on it was still.',
  ],
  ['an email with a mark of UTF-8', 'a.eml', `\ufeff${mail('X: y', 'It rang.')}`, 'It rang.'],
  [
    'an email to a group',
    'a.eml',
    mail('To: Keepers: Ada <ada@example.org>, bob@example.org;', 'It rang.'),
    'To: Keepers: Ada, bob@example.org|It rang.',
  ],
  ['Markdown with entities', 'a.md', 'Caf&eacute;&nbsp;&#x2713; `&eacute;` &x;', 'Café ✓ &eacute; &x;'],
  [
    'an email about charsets',
    'a.eml',
    mail('X: y', 'Run charset_tables with charset=us-ascii.\nContent-Type: text/plain\nOK.'),
    'Run charset_tables with charset=us-ascii. Content-Type: text/plain OK.',
  ],
  [
    'a report on an email with the headers it had',
    'a.eml',
    parts('\nSorry.', 'Content-Type: text/rfc822-headers\n\nSubject: Oil\nContent-Type: text/plain; charset=us-ascii'),
    'Sorry.|Subject: Oil Content-Type: text/plain; charset=us-ascii',
  ],
  [
    'an email to hidden recipients',
    'a.eml',
    mail('To: undisclosed-recipients:;', 'x1'),
    'To: undisclosed-recipients|x1',
  ],
  ['Markdown with the names of speakers', 'a.md', '[Ada]: It rang twice.\n\n[2]: <a b> (Oil)', '[Ada]: It rang twice.'],
  [
    'text about subtitles',
    'a.txt',
    'Each begins with\n1\n00:00:01,000 --> 00:00:02,000\nLamp',
    'Each begins with 1 00:00:01,000 --> 00:00:02,000 Lamp',
  ],
  ['Lisp', 'a.lisp', '(format t "~{<~a>~}~% höhe" list)', '(format t "~{<~a>~}~% höhe" list)'],
  ['Markdown with a table', 'a.md', '| Oil |\n|:---:|\n| 3 |', '| Oil | | 3 |'],
  [
    'Markdown with addresses below',
    'a.md',
    'See [oil][1].\n\n[1]: https://example.org "Tar"\n[^a]: Hemp',
    'See oil.|[^a]: Hemp',
  ],
  ['a list of feeds', 'a.opml', '<?xml version="1.0"?><opml><body><outline text="Quay"/></body></opml>', 'Quay'],
  ['a page with a formula', 'a.html', page('<math><mi>A</mi><annotation>x</annotation></math> is'), 'A is'],
  [
    'a page with a shadow root',
    'a.html',
    page('<a-b><template shadowrootmode=open><p>Lamp</p></template><p>Bell</p></a-b>'),
    'Lamp|Bell',
  ],
  [
    'a table within a table',
    'a.html',
    page('<table><tr><td><table><tr><td>Oil<td>3</table><td>x</table>'),
    'Oil 3 | x',
  ],
  ['a page with details', 'a.html', page('<details><summary>More</summary>Hemp</details>'), 'More|Hemp'],
  ['a page with a fallback', 'a.html', page('<object data=a.swf><p>The lamp</p></object>'), 'The lamp'],
  ['a page with Japanese lines', 'a.html', page('<p>北の\n 岩礁\nby night'), '北の岩礁 by night'],
  [
    'a Word document with an inserted web archive',
    'a.docx',
    word('<w:altChunk r:id="r1"/>', {
      'word/_rels/document.xml.rels': relations('a.mht'),
      'word/a.mht': mail('Content-Type: text/html', '<p>The bell</p>'),
    }),
    'The bell',
  ],
  [
    'a Word document with a chosen entry and a watermark',
    'a.docx',
    word(
      '<w:p><w:r><w:ddList><w:result w:val="1"/><w:listEntry w:val="Tar"/><w:listEntry w:val="Hemp"/></w:ddList> <w:ddList><w:default w:val="1"/><w:listEntry w:val="3"/><w:listEntry w:val="9"/></w:ddList></w:r><w:r><v:textpath string="DRAFT"/></w:r></w:p>',
    ),
    'Hemp9 DRAFT',
  ],
  [
    'an archive with backslashes',
    'a.docx',
    zip({ 'word\\document.xml': '<w:body><w:p><w:t>Bell</w:t></w:p></w:body>' }),
    'Bell',
  ],
  [
    'a workbook with escaped characters and moved strings',
    'a.xlsx',
    sheet('<c t="s"><v>0</v></c>', {
      'xl/elsewhere/sharedStrings.xml': '<sst><si><t>Oil_x000D_ _x0041__x0000_</t></si></sst>',
    }),
    'Oil A.',
  ],
  [
    'a sheet with a described picture',
    'a.xlsx',
    sheet('<c><v>1</v></c>', {
      'xl/worksheets/_rels/sheet1.xml.rels': relations('../drawings/drawing1.xml'),
      'xl/drawings/drawing1.xml': '<xdr:wsDr><xdr:pic><xdr:cNvPr descr="The crest"/></xdr:pic></xdr:wsDr>',
    }),
    '1.|The crest',
  ],
  [
    'an OpenDocument text with comments, ruby, form values and a formula, without its type',
    'a.odt',
    openText(
      '<office:text><office:forms><form:text form:current-value="Ada"/></office:forms><text:p>Fee<office:annotation><dc:creator>B</dc:creator><text:p>Paid</text:p></office:annotation> <text:ruby><text:ruby-base>山</text:ruby-base><text:ruby-text>やま</text:ruby-text></text:ruby></text:p></office:text>',
      { 'Object 1/content.xml': '<math><semantics><mi>E</mi><annotation>x</annotation></semantics></math>' },
    ),
    'Ada|Fee (Paid) 山|E',
  ],
  [
    'a drawing',
    'a.odg',
    openText('<office:drawing><draw:page><text:p>Quay</text:p></draw:page></office:drawing>', {
      mimetype: 'application/vnd.oasis.opendocument.graphics',
    }),
    'Quay',
  ],
  [
    'OpenDocument in a single file',
    'a.fods',
    '<?xml version="1.0"?><office:document><office:body><office:spreadsheet><table:table><table:table-row><table:table-cell><text:p>Oil</text:p></table:table-cell><table:table-cell><text:p>3</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document>',
    'Oil | 3.',
  ],
  [
    'Word in a single file',
    'a.xml',
    '<?xml version="1.0"?><w:wordDocument><w:body><w:p><w:r><w:t>The be</w:t></w:r><w:r><w:t>ll</w:t><w:tab/><w:t>7</w:t></w:r></w:p></w:body></w:wordDocument>',
    'The bell 7',
  ],
  [
    'a picture in OpenDocument in a single file',
    'a.fodt',
    '<?xml version="1.0"?><office:document><office:text><text:p>Lamp<office:binary-data>QUJD</office:binary-data></text:p></office:text></office:document>',
    'Lamp',
  ],
  [
    'an OpenDocument text with an empty object',
    'a.odt',
    openText('<office:text><text:p>Lamp</text:p></office:text>', { 'Object 1/content.xml': '' }),
    'Lamp',
  ],
  [
    'an OpenDocument database',
    'a.odb',
    openText('<office:database/>', { mimetype: 'application/vnd.oasis.opendocument.base' }),
    'a.odb',
  ],
  [
    'a book with a chapter of an early type',
    'a.epub',
    book('<item id="a" href="A.html" media-type="text/x-oeb1-document"/>', { 'a.html': page('Lamp') }),
    'Lamp',
  ],
  ['RTF of TextEdit', 'a.rtf', rtf('One\\\nTwo'), 'One|Two'],
  ['RTF after a blank line', 'a.rtf', latin('\r\n{\\rtf1 Lamp\\par}'), 'Lamp'],
  ['RTF with unescaped characters', 'a.rtf', rtf('\x93Lamp\x94'), '“Lamp”'],
  ['RTF of a Mac', 'a.rtf', rtf("Gr\\'9a\\'a7e", '\\mac'), 'Größe'],
  ['RTF of DOS', 'a.rtf', rtf("Gr\\'94\\'e1e", '\\pc'), 'Größe'],
  ['RTF with a comment', 'a.rtf', rtf('Fee{\\*\\atnid AB}{\\*\\annotation{\\*\\atnref 1}Paid}'), 'Fee (Paid)'],
  ['RTF with deleted text', 'a.rtf', rtf('It {\\deleted sank \\plain rang}'), 'It rang'],
  ['RTF with a nested table', 'a.rtf', rtf('\\trowd\\intbl{\\itap2 Oil\\nestcell 3\\nestcell}\\cell\\row'), 'Oil | 3'],
  [
    'RTF with a text box',
    'a.rtf',
    rtf('Bell {\\shp{\\*\\shpinst{\\sp{\\sn x}{\\sv 1}}{\\shptxt Lamp}}{\\shprslt Lamp}}'),
    'Bell Lamp',
  ],
  [
    'subtitles',
    'a.srt',
    '1\n00:00:01,000 --> 00:00:02,000\n<i>The bell</i>\nrang.\n\n2\n00:00:03,000 --> 00:00:04,000\nTwice.\n',
    'The bell rang.|Twice.',
  ],
  ['WebVTT', 'a.vtt', 'WEBVTT\n\nNOTE x\n\n00:01.000 --> 00:02.000 line:1\nThe bell\n', 'The bell'],
  [
    'an older notebook',
    'a.ipynb',
    '{"nbformat":3,"worksheets":[{"cells":[{"cell_type":"heading","source":["Tides"]},{"cell_type":"code","input":["x"],"outputs":[{"evalue":"no tide"}]}]}]}',
    'Tides|x|no tide',
  ],
  [
    'a calendar with names, escapes and a file',
    'a.ics',
    'BEGIN:VEVENT\nDESCRIPTION:Hemp\\; tar\nATTENDEE;CN="Reef, Ada":mailto:ada@example.org\nATTACH;ENCODING=BASE64:QUJD\nEND:VEVENT',
    'Description: Hemp; tar Attendee: Reef, Ada ada@example.org',
  ],
  [
    'a contact in Cyrillic',
    'a.vcf',
    'BEGIN:VCARD\nTITLE;CHARSET=windows-1251;ENCODING=QUOTED-PRINTABLE:=CC=E0=FF=EA\nEND:VCARD',
    'Title: Маяк',
  ],
  [
    'a book in XML',
    'a.fb2',
    '<?xml version="1.0"?><FictionBook><body><p>Lamp</p></body><binary>QUJD</binary></FictionBook>',
    'Lamp',
  ],
  ['a table that names its separator', 'a.csv', 'sep=;\r\nOil;3\r\n', 'Oil | 3.'],
  [
    'an email with an empty page next to its text',
    'a.eml',
    mail(
      'Content-Type: multipart/alternative; boundary=q',
      '--q\n\nIt rang.\n--q\nContent-Type: text/html\n\n<style>p {}</style><p>&nbsp;</p>\n--q--\n',
    ),
    'It rang.',
  ],
  ['an email with hidden copies', 'a.eml', mail('Bcc: Dee <dee@example.org>', 'x1'), 'Bcc: Dee <dee@example.org>|x1'],
  [
    'an email with spaces after header names',
    'a.eml',
    'From : a@b.example\nSubject  : Oil\n\nLit.',
    'From: a@b.example|Lit.',
  ],
  [
    'an email saved in UTF-16',
    'a.eml',
    Buffer.from(`\ufeff${mail('Content-Type: text/plain; charset="utf-16"', 'Es läutete.')}`, 'utf16le'),
    'Es läutete.',
  ],
  [
    'Markdown with pictures that are links',
    'a.md',
    '[![Build](https://x.example/a.svg)](https://x.example/b) and [the [1] list](c)',
    'Build and the [1] list',
  ],
  [
    'XHTML',
    'a.xhtml',
    `<?xml version="1.0"?>\n<!DOCTYPE html>\n<html><head><style>p {}</style><script src="a.js"/></head><body><p>The <a id="x"/>lamp</p></body></html>`,
    'The lamp',
  ],
  [
    'a page that is a form',
    'a.html',
    page('<form><label>Name<textarea>Ropes</textarea></label><select><option>Hemp<option>Tar</select></form>'),
    'Name|Ropes|Hemp|Tar',
  ],
  ['a page with ten thousand escaped signs', 'a.html', page(`<p>${'a&lt;b '.repeat(10)}`), 'a<b '.repeat(10).trim()],
  [
    'a Word document with text for older programs only',
    'a.docx',
    word(
      '<w:p><mc:AlternateContent><mc:Choice><w:drawing/></mc:Choice><mc:Fallback><v:textbox><w:txbxContent><w:p><w:t>Lamp</w:t></w:p></w:txbxContent></v:textbox></mc:Fallback></mc:AlternateContent></w:p>',
    ),
    'Lamp',
  ],
  ['RTF with a star inside a group', 'a.rtf', rtf('{\\b\\*\\cs7 Lamp}'), 'Lamp'],
  [
    'RTF with ruby',
    'a.rtf',
    rtf(
      'Q{\\field{\\*\\fldinst { EQ \\\\* jc3 \\\\o\\\\al(\\\\s\\\\up 10(\\u12420?\\u12414?),\\u23665?)}}{\\fldrslt {}}}R {\\field{\\*\\fldinst PAGE}{\\fldrslt 7}}',
    ),
    'Q山R 7',
  ],
  ['RTF with a note', 'a.rtf', rtf('Fee{\\footnote Paid\\par }.'), 'Fee (Paid).'],
  ['WebVTT with entities', 'a.vtt', 'WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ada>Oil &amp; tar\n', 'Oil & tar'],
  [
    'an older contact',
    'a.vcf',
    'BEGIN:VCARD\nN:Cove;Ben\nTEL;VALUE=uri:tel:123\nEND:VCARD\nBEGIN:VCARD\nN:Reef;Ada\nFN:Ada Reef\nEND:VCARD',
    'Tel: 123|Ada Reef',
  ],
  ['JSON with escapes', 'a.json', '{"note":"Der W\\u00e4rter\\nz\\u00e4hlt"}', '{"note":"Der Wärter zählt"}'],
  ['source code with escapes', 'a.properties', 'a=Gr\\u00fc\\u00dfe \\n \\u0007', 'a=Grüße \\n \\u0007'],
  [
    'XML with its texts in attributes',
    'a.xml',
    '<?xml version="1.0"?><stock><item name="Storm lantern" price="120" href="https://a.example"/><item id="x"><note>Wet</note></item><dot x="a"/></stock>',
    'Storm lantern 120|Wet',
  ],
  [
    'XML without a declaration',
    'a.xml',
    '<!-- a --><!-- b --><TEI xmlns="x"><text><l>The bell</l><l>rang</l></text></TEI>\n',
    'The bell|rang',
  ],
  [
    'notes with a file',
    'a.enex',
    '<?xml version="1.0"?><note><content>&lt;div>Hemp&lt;/div></content><resource><data encoding="base64">QUJD</data></resource></note>',
    'Hemp',
  ],
  ['a component with a script', 'a.vue', '<template><p>{{ a }}</p></template>', '<template><p>{{ a }}</p></template>'],
]
for (const [what, name, file, text] of READ) {
  Deno.test(`${what} is read`, async () => {
    const { passages } = await readFile(typeof file === 'string' ? strToU8(file) : file.slice(), name)
    ok(passages.every(({ heading }) => !heading?.includes('\0')))
    const said = passages.map(({ content }) => content.replace(/^Attachments:.*$/m, '')).join('\n\n')
    const tidy = said.split(/\n{2,}/).map((block) => block.replace(/\s+/g, ' ').trim())
    deepStrictEqual(tidy.filter(Boolean).join('|'), text)
  })
}

Deno.test('words of a header whose bytes are divided inside a character are joined', async () => {
  const [first, second] = [Buffer.from('灯台').subarray(0, 5), Buffer.from('灯台').subarray(5)]
  const subject = [first, second].map((bytes) => `=?utf-8?B?${bytes.toString('base64')}?=`).join('\n ')
  deepStrictEqual((await readFile(strToU8(`Subject: ${subject}\n\nx`), 'a.eml')).title, '灯台')
})

Deno.test('signatures and resource forks are no attachments', async () => {
  const types = ['application/pgp-signature', 'application/pkcs7-signature', 'application/applefile', 'application/pdf']
  const signed = parts(...types.map((type) => `Content-Type: ${type}; name=a\n\nx`))
  deepStrictEqual(
    (await openMail(strToU8(signed))).attachments.map(({ type }) => type),
    ['application/pdf'],
  )
})

Deno.test('a forwarded email and an attached file keep the bytes they had', async () => {
  const inner = 'Subject: Two\nContent-Type: text/plain; charset=us-ascii\n\nIt rang (see charset_tables).'
  const file = 'Content-Type: application/json; name=a.json\n\n'
  const { attachments } = await openMail(strToU8(parts(`Content-Type: message/rfc822\n\n${inner}`, file + inner)))
  ok(attachments.length === 2 && attachments.every(({ bytes }) => new TextDecoder().decode(bytes).startsWith(inner)))
})

Deno.test('dates with years of two digits are understood, and an unset date of Windows is none', async () => {
  const dated = async (date: string) => (await readFile(strToU8(mail(`Date: ${date}`, 'x')), 'a.eml')).dated
  deepStrictEqual(await Promise.all(['31 Dec 24 20:30 -0800', '1 Jan 1601 00:00', '3 Mar 98 10:00'].map(dated)), [
    '2024-12-31',
    null,
    '1998-03-03',
  ])
})

Deno.test('Markdown that begins with a centered heading is called by it', async () => {
  const source = '<div align="center">\n<h1>Bell of the quay</h1>\n</div>\n\nIt rang.'
  deepStrictEqual((await readFile(strToU8(source), 'a.md')).title, 'Bell of the quay')
})

Deno.test('a book is called by its main title', async () => {
  const titles =
    '<dc:title id="s">The reef, told</dc:title><meta refines="#s">subtitle</meta><dc:title id="t">Reef</dc:title><meta refines="#t">main</meta>'
  const item = '<item id="a" href="a.html" media-type="text/html"/>'
  deepStrictEqual((await readFile(book(item, { 'a.html': page('Lamp') }, titles), 'a.epub')).title, 'Reef')
})

for (const title of ['Home', 'Untitled Document', 'Neues Dokument']) {
  Deno.test(`a page called ${title} has the title of its heading`, async () => {
    const source = `<title>${title}</title><h1>Harbour rules</h1><p>${'The lamp is lit at dusk. '.repeat(30)}`
    deepStrictEqual((await readFile(strToU8(source), 'a.html')).title, 'Harbour rules')
  })
}

Deno.test('a numbered heading of RTF is a heading', async () => {
  const file = rtf('\\pard\\plain\\outlinelevel0{\\listtext\\pard\\plain 1.\\tab}\\ls1 Oil\\par\\pard Tar')
  deepStrictEqual((await readFile(file, 'a.rtf')).passages[0]?.heading, '1. Oil')
})

Deno.test('a copy of subtitles shows no times', async () => {
  const { rendition } = await readFile(strToU8('1\n00:00:01,000 --> 00:00:02,000\nBell\n'), 'a.srt')
  doesNotMatch(rendition ?? '', /-->/)
})

Deno.test('a heading in a box of its own is above its text', async () => {
  const part = (title: string, of: string) =>
    `<div class="widget"><div><p id="${of}"></p><h2>${title}</h2></div></div><div>${`<p>The keeper of the lamp trims the ${of} at dusk, and again at dawn, when the oil is low.</p>`.repeat(6)}</div>`
  const page = `<html><head><title>Lamps</title></head><body><div class="post">${part('Trimming', 'wick')}${part('Filling', 'oil')}</div></body></html>`
  const { passages } = await readFile(new TextEncoder().encode(page), 'page.html')
  deepStrictEqual([...new Set(passages.map(({ heading }) => heading?.split(' › ').at(-1)))], ['Trimming', 'Filling'])
})

Deno.test('an attribute that mentions an address is read, an address alone is not', async () => {
  const outline = `<?xml version="1.0"?><opml><body><outline text="Lamps" _note="Described at https://example.com/lamps in full." url="https://example.com/feed"/></body></opml>`
  const { passages } = await readFile(new TextEncoder().encode(outline), 'lamps.opml')
  deepStrictEqual(
    passages.map(({ content }) => content),
    ['Lamps Described at https://example.com/lamps in full.'],
  )
})

Deno.test('an author that RTF names twice is one', async () => {
  const info = '{\\info{\\author Ada Lovelace}{\\author Ada Lovelace}}'
  const { author } = await readFile(new TextEncoder().encode(`{\\rtf1${info} The lamp.}`), 'lamp.rtf')
  deepStrictEqual(author, 'Ada Lovelace')
})
