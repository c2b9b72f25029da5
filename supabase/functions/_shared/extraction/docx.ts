import { codePoint } from 'dingbat-to-unicode'
import { Unreadable } from '../errors.ts'
import { type Item, Lists } from './docx-lists.ts'
import { pageIn } from './email.ts'
import { type Extraction, escaped } from './extraction.ts'
import { bodyOf, extractionOf } from './html.ts'
import { besideHtml, mainPart, relationsOf } from './office-parts.ts'
import { extractRtf } from './rtf.ts'
import { all, alternativeText, childrenOf, find, officeProperties, parseXml, valOf, type Xml } from './xml.ts'
import { Zip } from './zip.ts'

const DAMAGED = 'docx_damaged'
/** Heading level by style name, which is the same in every language of Word. */
const HEADING = /^(?:heading ([1-6])|(title))$/i
const SKIPPED = new Set(['w:del', 'w:moveFrom', 'w:instrText', 'w:delText', 'w:rt', 'w:pPr', 'w:rPr'])
/** Wrappers around blocks, rows or cells: content controls, suggested insertions, content for newer versions. */
const AROUND = /^(?:w:(?:sdt|sdtContent|ins|moveTo|customXml|smartTag)|mc:(?:AlternateContent|Choice|Fallback))$/
const NOTES = [
  ['w:footnoteReference', 'footnotes', 'w:footnote'],
  ['w:endnoteReference', 'endnotes', 'w:endnote'],
  ['w:commentReference', 'comments', 'w:comment'],
] as const
const MAX_NESTING = 3

type Document = {
  readonly lists: Lists
  readonly levels: ReadonlyMap<string, number>
  /** Each is read once, like an inserted file: a malicious document refers to one from itself, or very often. */
  readonly notes: Map<string, Xml>
  readonly inserted: (id: string) => string
}

/** Converts a Word document (ECMA-376, WordprocessingML) to sections under its headings, with a readable copy of
 *  paragraphs, headings, lists, tables, notes, bold and italic. Images are left out.
 *  @throws {Unreadable} if it's damaged, malicious or contains no text. */
export async function extractDocx(archive: Zip): Promise<Extraction> {
  const about = officeProperties(archive)
  const saved = [...archive.entries.keys()].filter((path) => /\.mht(?:ml)?$/i.test(path))
  const pages = saved.map(
    async (path): Promise<[string, string]> => [path, await pageIn(archive.read(path) ?? new Uint8Array())],
  )
  const html = documentHtml(archive, new Map(await Promise.all(pages)), 0)
  return { ...extractionOf('docx', html, 'document_of_pictures'), about }
}

/** @param pages The web pages in the archive that it can insert. */
function documentHtml(archive: Zip, pages: ReadonlyMap<string, string>, depth: number): string {
  const main = mainPart(archive, 'word/document.xml', DAMAGED)
  const body = find(parseXml(archive.text(main), DAMAGED), 'w:body')
  if (!body) throw new Unreadable(DAMAGED)
  const parts = relationsOf(archive, main, DAMAGED)
  const textOf = (type: string) => archive.text(parts.find((part) => part.type === type)?.path ?? `word/${type}.xml`)
  const unread = new Set(parts.map(({ path }) => path))
  const styles = textOf('styles')
  const document: Document = {
    lists: new Lists(textOf('numbering'), styles),
    levels: headingLevels(styles),
    notes: new Map(NOTES.flatMap(([reference, type, name]) => notesIn(textOf(type), reference, name))),
    inserted: (id) =>
      insertedHtml(archive, pages, parts.find((part) => part.id === id && unread.delete(part.path))?.path ?? '', depth),
  }
  const text = blocks(body, document)
  // Headers and footers, such as a letterhead. Pages share a few of them.
  const edges = parts
    .filter(({ type, path }) => (type === 'header' || type === 'footer') && unread.delete(path))
    .map(({ path }) => blocks(parseXml(archive.text(path), DAMAGED).children[0] ?? body, document))
  const diagrams = besideHtml(archive, main, DAMAGED)
  return text + diagrams + [...new Set(edges)].filter((edge) => /\p{L}{2}/u.test(edge.replace(/<[^>]*>/g, ''))).join('')
}

const notesIn = (source: string | undefined, reference: string, name: string): [string, Xml][] =>
  source
    ? [...all(parseXml(source, DAMAGED), name)].map((note) => [`${reference} ${note.getAttribute('w:id')}`, note])
    : []

function insertedHtml(archive: Zip, pages: ReadonlyMap<string, string>, path: string, depth: number): string {
  const page = pages.get(path)
  if (page) return bodyOf(page)
  const bytes = archive.read(path)
  if (!bytes || depth >= MAX_NESTING) return ''
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return documentHtml(new Zip(bytes), pages, depth + 1)
  const source = archive.text(path) ?? ''
  if (source.startsWith('{\\rtf')) return extractRtf(bytes).rendition ?? ''
  return /<\w/.test(source) ? bodyOf(source) : `<p>${escaped(source)}</p>`
}

function headingLevels(source: string | undefined): ReadonlyMap<string, number> {
  const levels = new Map<string, number>()
  if (!source) return levels
  for (const style of all(parseXml(source, DAMAGED), 'w:style')) {
    const [, level, title] = HEADING.exec(valOf(find(style, 'w:name')) ?? '') ?? []
    const outline = valOf(find(style, 'w:outlineLvl'))
    const depth = title ? 1 : level ? Number(level) : outline ? Number(outline) + 1 : 0
    if (depth >= 1 && depth <= 6) levels.set(style.getAttribute('w:styleId') ?? '', depth)
  }
  return levels
}

function blocks(parent: Xml, document: Document): string {
  let html = ''
  let open: Item | undefined
  let initial = ''
  for (const node of parent.children) {
    const properties = childrenOf(node, 'w:pPr')[0]
    const frame = properties && find(properties, 'w:framePr')?.getAttribute('w:dropCap')
    if (frame && frame !== 'none') {
      initial += runs(node, document, [])
      continue
    }
    const item = node.nodeName === 'w:p' && levelOf(node, document) === 0 ? document.lists.itemOf(node) : undefined
    if (item?.list !== open?.list) {
      if (open) html += open.end
      if (item) html += item.start
    }
    open = item
    if (node.nodeName === 'w:p') {
      html += paragraph(node, document, item !== undefined, initial)
      initial = ''
    } else if (node.nodeName === 'w:tbl') html += table(node, document)
    else if (node.nodeName === 'w:altChunk') html += document.inserted(node.getAttribute('r:id') ?? '')
    else if (node.nodeName === 'm:oMathPara') html += `<p>${runs(node, document, [])}</p>\n`
    else if (AROUND.test(node.nodeName)) html += blocks(node, document)
  }
  if (initial) html += `<p>${initial}</p>`
  return open ? `${html}${open.end}` : html
}

const levelOf = (node: Xml, { levels }: Document): number => {
  const properties = childrenOf(node, 'w:pPr')[0]
  return (properties && levels.get(valOf(find(properties, 'w:pStyle')) ?? '')) ?? 0
}

function paragraph(node: Xml, document: Document, isItem: boolean, before: string): string {
  const boxes: Xml[] = []
  const text = before + runs(node, document, boxes)
  const boxed = boxes.map((box) => blocks(box, document)).join('')
  if (text.trim() === '') return boxed
  const level = levelOf(node, document)
  const tag = level > 0 ? `h${level}` : isItem ? 'li' : 'p'
  return `<${tag}>${text}</${tag}>\n${boxed}`
}

function table(node: Xml, document: Document): string {
  const rows = within(node, 'w:tr').map((row) => {
    const cells = within(row, 'w:tc').map((cell) => `<td>${blocks(cell, document)}</td>`)
    return `<tr>${cells.join('')}</tr>`
  })
  return `<table>${rows.join('\n')}</table>\n`
}

const within = (node: Xml, name: string): Xml[] =>
  node.children.flatMap((child) =>
    child.nodeName === name ? [child] : AROUND.test(child.nodeName) ? within(child, name) : [],
  )

/** @param boxes Collects text boxes, whose paragraphs follow this one. */
function runs(parent: Xml, document: Document, boxes: Xml[]): string {
  let html = ''
  for (const node of parent.children) {
    const name = node.nodeName
    if (SKIPPED.has(name)) continue
    if (name === 'w:t' || name === 'm:t') html += escaped(node.textContent)
    else if (name === 'a:t') html += ` ${escaped(node.textContent)} `
    else if (name === 'w:tab' || name === 'w:ptab') html += ' '
    else if (name === 'w:br' || name === 'w:cr') html += '<br>'
    else if (name === 'w:noBreakHyphen') html += '-'
    else if (name === 'v:textpath') html += ` ${escaped(node.getAttribute('string') ?? '')} `
    else if (name === 'w:ddList') {
      const chosen = Number(valOf(find(node, 'w:result') ?? find(node, 'w:default')) ?? 0)
      html += escaped(valOf(childrenOf(node, 'w:listEntry')[chosen]) ?? '')
    } else if (name === 'wp:docPr') html += ` ${escaped(alternativeText(node))} `
    else if (name === 'w:sym') {
      html += escaped(symbol(node.getAttribute('w:font') ?? '', Number.parseInt(node.getAttribute('w:char') ?? '', 16)))
    } else if (name === 'w:txbxContent') boxes.push(node)
    else if (name === 'w:r') html += styled(node, runs(node, document, boxes))
    else html += noteOf(node, document, boxes) + runs(node, document, boxes)
  }
  return html
}

/** Converts a character of a symbol font, which may use codes from U+F000 on.
 *  @returns an empty string if there is no equivalent. */
const symbol = (font: string, code: number): string =>
  codePoint(font, code >= 0xf000 ? code - 0xf000 : code)?.string ?? ''

/** Notes are inlined in brackets where they are referenced. */
function noteOf(node: Xml, document: Document, boxes: Xml[]): string {
  const id = `${node.nodeName} ${node.getAttribute('w:id')}`
  const note = document.notes.get(id)
  document.notes.delete(id)
  const paragraphs = note ? [...all(note, 'w:p')].map((one) => runs(one, document, boxes).trim()) : []
  const text = paragraphs.filter(Boolean).join(' ')
  return text && ` (${text})`
}

function styled(run: Xml, text: string): string {
  if (text.trim() === '') return text
  const properties = childrenOf(run, 'w:rPr')[0]
  const isOn = (name: string) => {
    const property = properties && childrenOf(properties, name)[0]
    return property !== undefined && !/^(0|false|none)$/.test(valOf(property) ?? '')
  }
  const bold = isOn('w:b') ? `<strong>${text}</strong>` : text
  return isOn('w:i') ? `<em>${bold}</em>` : bold
}
