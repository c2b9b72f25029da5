// Files that take too long, or grow without limit, where an extractor does work again for each of their parts.
import { deepStrictEqual, ok, rejects } from 'node:assert/strict'
import { cpuUsage } from 'node:process'
import { strToU8, zipSync } from 'fflate'
import { readFile } from './testing/read-file.ts'

const MAIL = 'From: a@example.com\r\nSubject: The lamp\r\n'
const WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="r"'
const paragraph = (inside: string) => `<w:p><w:r>${inside}</w:r></w:p>`
const filled = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join('')

function docx(body: string, more: Record<string, string> = {}): Uint8Array {
  const parts = { 'word/document.xml': `<w:document ${WORD}><w:body>${body}</w:body></w:document>`, ...more }
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])))
}
const openDocument = (kind: string, body: string) =>
  strToU8(
    `<?xml version="1.0"?><office:document xmlns:office="o" xmlns:text="t" xmlns:table="b"><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document>`,
  )
const NOTE = ['<text:p>The lamp<text:note><text:note-body>', '</text:note-body></text:note></text:p>'] as const
const RELATION = '<Relationship Id="chunk" Type="x/aFChunk" Target="c.html"/>'

/** Each took 10 seconds or more, most of them minutes. */
const SLOW: Readonly<Record<string, () => Uint8Array>> = {
  'lines.eml': () => strToU8(`${MAIL}\r\n${'The lamp.\r\n'.repeat(200_000)}`),
  'folded.eml': () => strToU8(`${MAIL}\r\nThe lamp\r\nContent-Type: text/plain${'\r\n  x'.repeat(200_000)}`),
  'marks.eml': () =>
    strToU8(
      `${MAIL}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nThe lamp\r\n${'--x\r\n'.repeat(200_000)}`,
    ),
  'nested.eml': () => strToU8(`${MAIL}${'Content-Type: message/rfc822\r\n\r\n'.repeat(30_000)}\r\nThe lamp`),
  'pictures.eml': () =>
    strToU8(
      `${MAIL}Content-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\nThe lamp${filled(12_000, (i) => `<img src="cid:${i}">`)}\r\n${filled(12_000, (i) => `--b\r\nContent-Type: image/png\r\nContent-ID: <${i}>\r\n\r\n${i}\r\n`)}--b--`,
    ),
  'signs.html': () => strToU8(`<html><p>The lamp ${'<'.repeat(3_000_000)}`),
  'row.html': () => strToU8(`<table><tr><td>The lamp${'<td>a'.repeat(150_000)}`),
  'ruby.rtf': () => strToU8(`{\\rtf1 {\\field{\\*\\fldinst EQ ${'\\\\o ),('.repeat(60_000)}}{\\fldrslt The lamp}}}`),
  'notes.fodt': () => openDocument('text', NOTE[0].repeat(60) + NOTE[1].repeat(60)),
  'lists.docx': () =>
    docx(
      filled(
        30_000,
        (i) =>
          `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="${i}"/></w:numPr></w:pPr><w:r><w:t>The lamp</w:t></w:r></w:p>`,
      ),
      {
        'word/numbering.xml': `<w:numbering ${WORD}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>${filled(30_000, (i) => `<w:num w:numId="${i}"><w:abstractNumId w:val="0"/></w:num>`)}</w:numbering>`,
      },
    ),
  'namespaces.xml': () =>
    strToU8(`<?xml version="1.0"?><a${filled(60_000, (i) => ` xmlns:n${i}="x"`)}><b>The lamp</b></a>`),
}
for (const [name, made] of Object.entries(SLOW))
  Deno.test(`${name} is read in linear time`, async () => {
    const bytes = made()
    const began = cpuUsage()
    const { passages } = await readFile(bytes, name)
    const { user, system } = cpuUsage(began)
    ok(passages.some(({ heading, content }) => `${heading} ${content}`.includes('The lamp')))
    // Far more than a slow machine needs, and less than any took before.
    ok(user + system < 30_000_000, `${(user + system) / 1_000_000} s`)
  })

const contentsOf = async (bytes: Uint8Array, name: string) =>
  (await readFile(bytes, name)).passages.map(({ content }) => content)

Deno.test('a note that refers to itself, and one that is referred to often, are read once', async () => {
  const reference = paragraph('<w:t>The lamp</w:t><w:footnoteReference w:id="1"/>')
  const notes = `<w:footnotes ${WORD}><w:footnote w:id="1"><w:p><w:r><w:t>of the keeper</w:t></w:r><w:footnoteReference w:id="1"/></w:p></w:footnote></w:footnotes>`
  deepStrictEqual(await contentsOf(docx(reference.repeat(2), { 'word/footnotes.xml': notes }), 'notes.docx'), [
    'The lamp (of the keeper)\n\nThe lamp',
  ])
})

Deno.test('a file or header that a document inserts often is read once', async () => {
  const relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${RELATION}${filled(1000, (i) => `<Relationship Id="h${i}" Type="x/header" Target="header.xml"/>`)}</Relationships>`
  const bytes = docx('<w:altChunk r:id="chunk"/>'.repeat(1000), {
    'word/_rels/document.xml.rels': relations,
    'word/c.html': '<p>The lamp</p>',
    'word/header.xml': `<w:hdr ${WORD}>${paragraph('<w:t>of the keeper</w:t>')}</w:hdr>`,
  })
  deepStrictEqual(await contentsOf(bytes, 'inserted.docx'), ['The lamp\n\nof the keeper'])
})

Deno.test('a chapter that is listed often is read once', async () => {
  const bytes = zipSync({
    'META-INF/container.xml': strToU8('<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>'),
    'book.opf': strToU8(
      `<package><manifest><item id="one" href="one.xhtml" media-type="application/xhtml+xml"/></manifest><spine>${'<itemref idref="one"/>'.repeat(1000)}</spine></package>`,
    ),
    'one.xhtml': strToU8('<html><body><p>The lamp</p></body></html>'),
  })
  deepStrictEqual(await contentsOf(bytes, 'book.epub'), ['The lamp'])
})

Deno.test('repeated cells of a spreadsheet count', async () => {
  const row =
    '<table:table-row><table:table-cell table:number-columns-repeated="1000"><text:p>lamp</text:p></table:table-cell></table:table-row>'
  const bytes = openDocument('spreadsheet', `<table:table>${row.repeat(501)}</table:table>`)
  await rejects(readFile(bytes, 'cells.fods'), /too many cells/)
})

Deno.test('empty cells before the first one of a row count', async () => {
  const sheets = '<workbook xmlns:r="r"><sheets><sheet name="Lamps" r:id="one"/></sheets></workbook>'
  const row = '<row><c r="ALK1" t="str"><v>lamp</v></c></row>'
  const bytes = zipSync({
    'xl/workbook.xml': strToU8(sheets),
    'xl/_rels/workbook.xml.rels': strToU8(
      '<Relationships><Relationship Id="one" Type="x/worksheet" Target="sheet.xml"/></Relationships>',
    ),
    'xl/sheet.xml': strToU8(`<worksheet><sheetData>${row.repeat(501)}</sheetData></worksheet>`),
  })
  await rejects(readFile(bytes, 'cells.xlsx'), /too many cells/)
})

Deno.test('the paragraphs of a note within a note are read once', async () => {
  deepStrictEqual(await contentsOf(openDocument('text', NOTE[0].repeat(2) + NOTE[1].repeat(2)), 'notes.fodt'), [
    'The lamp (The lamp)',
  ])
})
