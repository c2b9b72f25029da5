import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib'
import { strToU8, zipSync } from 'fflate'
import sharp from 'sharp'

type Made = string | Uint8Array

/** A small file of each kind, by extension, with one sentence that contains the given word.
 *  @param made The time of creation, for reproducible bytes. */
export const SAMPLES: Readonly<Record<string, (word: string, made: Date) => Made | Promise<Made>>> = {
  pdf: async (word, made) => {
    const document = await PDFDocument.create()
    document.setCreationDate(made)
    document.setModificationDate(made)
    const font = await document.embedFont(StandardFonts.TimesRoman)
    document.addPage([420, 595]).drawText(sentence(word), { x: 40, y: 500, size: 12, font })
    return document.save()
  },
  docx: (word) =>
    office('word/document.xml', {
      'word/document.xml': `<w:document xmlns:w="${WORD}"><w:body><w:p><w:r><w:t>${sentence(word)}</w:t></w:r></w:p></w:body></w:document>`,
    }),
  pptx: (word) => {
    const names = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="${RELATIONS}"`
    const tree = (shapes: string) =>
      `<p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>${shapes}</p:spTree></p:cSld>`
    const shape = `<p:sp><p:nvSpPr><p:cNvPr id="2" name="Text"/><p:cNvSpPr/><p:nvPr><p:ph type="body"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>${sentence(word)}</a:t></a:r></a:p></p:txBody></p:sp>`
    return office('ppt/presentation.xml', {
      'ppt/presentation.xml': `<p:presentation ${names}><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>`,
      'ppt/_rels/presentation.xml.rels': relations({ rId1: ['slide', 'slides/slide1.xml'] }),
      'ppt/slides/slide1.xml': `<p:sld ${names}>${tree(shape)}</p:sld>`,
    })
  },
  xlsx: (word) => {
    const names = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${RELATIONS}"`
    const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`
    return office('xl/workbook.xml', {
      'xl/workbook.xml': `<workbook ${names}><sheets><sheet name="Plants" sheetId="1" r:id="rId1"/></sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': relations({ rId1: ['worksheet', 'worksheets/sheet1.xml'] }),
      'xl/worksheets/sheet1.xml': `<worksheet ${names}><sheetData><row>${cell('Plant')}${cell('Place')}</row><row>${cell(word)}${cell('beside the lamp')}</row></sheetData></worksheet>`,
    })
  },
  epub: (word) =>
    archive({
      mimetype: 'application/epub+zip',
      'META-INF/container.xml':
        '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
      'book.opf':
        '<package version="3.0" unique-identifier="id" xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">sample</dc:identifier><dc:title>Plants of the tower</dc:title><dc:language>en</dc:language></metadata><manifest><item id="one" href="one.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="one"/></spine></package>',
      'one.xhtml': `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>One</title></head><body><p>${sentence(word)}</p></body></html>`,
    }),
  odt: (word) =>
    archive({
      mimetype: 'application/vnd.oasis.opendocument.text',
      'META-INF/manifest.xml':
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.text"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>',
      'content.xml': `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.3"><office:body><office:text><text:p>${sentence(word)}</text:p></office:text></office:body></office:document-content>`,
    }),
  rtf: (word) => `{\\rtf1\\ansi{\\fonttbl{\\f0 Times New Roman;}}\\f0 ${sentence(word)}\\par}\n`,
  eml: (word) => mail('text/plain; charset=utf-8', `${sentence(word)}\r\n`),
  mht: (word) =>
    mail(
      'multipart/related; type="text/html"; boundary="part"',
      `--part\r\nContent-Type: text/html; charset=utf-8\r\nContent-Location: https://example.org/plants\r\n\r\n${page(word)}\r\n--part--\r\n`,
    ),
  md: (word) => `# Plants\n\n${sentence(word)}\n`,
  html: page,
  txt: (word) => `${sentence(word)}\n`,
  csv: (word) => `Plant,Place\n${word},beside the lamp\n`,
  png: (word) => picture(word).png({ palette: true }).toBuffer(),
  jpg: (word) => picture(word).jpeg({ quality: 60 }).toBuffer(),
  webp: (word) => picture(word).webp({ quality: 60 }).toBuffer(),
  gif: (word) => picture(word).gif({ colours: 4 }).toBuffer(),
  avif: (word) => picture(word).avif({ quality: 60 }).toBuffer(),
}

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

function sentence(word: string): string {
  return `The keeper planted a ${word} beside the lamp.`
}

function page(word: string): string {
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Plants</title></head><body><p>${sentence(word)}</p></body></html>\n`
}

const mail = (type: string, body: string): string =>
  `From: Ada Keeper <ada@example.org>\r\nTo: Ben <ben@example.org>\r\nSubject: Plants\r\nDate: Sun, 1 Nov 2026 09:00:00 +0000\r\nMIME-Version: 1.0\r\nContent-Type: ${type}\r\n\r\n${body}`

/** OpenDocument and EPUB require the media type first and uncompressed. */
const archive = (files: Record<string, string>): Uint8Array =>
  zipSync(
    Object.fromEntries(
      Object.entries(files).map(([name, text]) => [
        name,
        [strToU8(text), { level: name === 'mimetype' ? 0 : 9, mtime: '2026-11-01T09:00:00' }],
      ]),
    ),
  )

const relations = (targets: Record<string, readonly [type: string, target: string]>): string => {
  const each = Object.entries(targets).map(
    ([id, [type, target]]) => `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`,
  )
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${each.join('')}</Relationships>`
}

const OFFICE_TYPES: Readonly<Record<string, string>> = {
  'word/document.xml': 'wordprocessingml.document.main',
  'ppt/presentation.xml': 'presentationml.presentation.main',
  'ppt/slides/slide1.xml': 'presentationml.slide',
  'xl/workbook.xml': 'spreadsheetml.sheet.main',
  'xl/worksheets/sheet1.xml': 'spreadsheetml.worksheet',
}

/** An Office Open XML package (ECMA-376, part 2). */
function office(main: string, parts: Record<string, string>): Uint8Array {
  const types = Object.keys(parts).flatMap((name) => {
    const type = OFFICE_TYPES[name]
    return type
      ? `<Override PartName="/${name}" ContentType="application/vnd.openxmlformats-officedocument.${type}+xml"/>`
      : []
  })
  return archive({
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${types.join('')}</Types>`,
    '_rels/.rels': relations({ rId1: ['officeDocument', main] }),
    ...parts,
  })
}

/** A picture of the word, large enough to be recognized. */
const picture = (word: string) =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="160"><rect width="640" height="160" fill="white"/><text x="40" y="105" font-size="64" font-family="serif" fill="black">${word}</text></svg>`,
    ),
  )
