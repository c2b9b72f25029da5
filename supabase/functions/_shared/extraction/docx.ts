import { Unreadable } from '../errors.ts'
import { mediaTypeOf } from '../file-kinds.ts'
import { escaped } from './csv.ts'
import { type Item, Lists } from './docx-lists.ts'
import type { Extraction } from './extraction.ts'
import { textOfHtml } from './html.ts'
import { all, childrenOf, find, officeProperties, parseXml, valOf, type Xml } from './xml.ts'
import type { Zip } from './zip.ts'

const DAMAGED = 'docx_damaged'
/** The level of a heading by the name of its style, which is the same in every language of Word. */
const HEADING = /^(?:heading ([1-6])|(title))$/i
/** Elements within the text that are not part of it. */
const SKIPPED = new Set(['w:del', 'w:moveFrom', 'w:instrText', 'w:delText', 'w:txbxContent', 'mc:Fallback'])

/** Converts a Word document (ECMA-376, WordprocessingML) to sections under its headings, with a readable copy of its
 *  paragraphs, headings, lists, tables, bold and italic. Images are left out.
 *  @throws {Unreadable} when it is damaged, contains no text, or is malicious. */
export function extractDocx(archive: Zip): Extraction {
  const body = find(parseXml(archive.text('word/document.xml'), DAMAGED), 'w:body')
  if (!body) throw new Unreadable(DAMAGED)
  const styles = archive.text('word/styles.xml')
  const html = blocks(body, new Lists(archive.text('word/numbering.xml'), styles), headingLevels(styles))
  const { sections, outline } = textOfHtml(html)
  if (sections.length === 0) {
    throw new Unreadable('document_of_pictures')
  }
  return {
    sections,
    mimeType: mediaTypeOf('docx'),
    pages: null,
    rendition: html,
    about: officeProperties(archive),
    outline,
  }
}

/** Which styles are headings, by their name or by the outline level they set. */
function headingLevels(source: string | undefined): ReadonlyMap<string, number> {
  const levels = new Map<string, number>()
  if (!source) return levels
  for (const style of all(parseXml(source, DAMAGED), 'w:style')) {
    const [, level, title] = HEADING.exec(valOf(find(style, 'w:name')) ?? '') ?? []
    const outline = valOf(find(style, 'w:outlineLvl'))
    const found = title ? 1 : level ? Number(level) : outline ? Number(outline) + 1 : 0
    if (found >= 1 && found <= 6) levels.set(style.getAttribute('w:styleId') ?? '', found)
  }
  return levels
}

function blocks(parent: Xml, lists: Lists, levels: ReadonlyMap<string, number>): string {
  let html = ''
  let open: Item | undefined
  for (const node of parent.children) {
    const item = node.nodeName === 'w:p' && levelOf(node, levels) === 0 ? lists.itemOf(node) : undefined
    if (item?.list !== open?.list) {
      if (open) html += open.end
      if (item) html += item.start
    }
    open = item
    if (node.nodeName === 'w:p') html += paragraph(node, levels, item !== undefined)
    else if (node.nodeName === 'w:tbl') html += table(node, lists, levels)
    // Content controls and suggested insertions: their content is part of the text.
    else if (/^w:(sdt|sdtContent|ins|moveTo|customXml)$/.test(node.nodeName)) html += blocks(node, lists, levels)
  }
  return open ? `${html}${open.end}` : html
}

const levelOf = (node: Xml, levels: ReadonlyMap<string, number>): number =>
  levels.get(valOf(find(node, 'w:pStyle')) ?? '') ?? 0

function paragraph(node: Xml, levels: ReadonlyMap<string, number>, isItem: boolean): string {
  const text = runs(node)
  if (text.trim() === '') return ''
  const level = levelOf(node, levels)
  const tag = level > 0 ? `h${level}` : isItem ? 'li' : 'p'
  return `<${tag}>${text}</${tag}>\n`
}

function table(node: Xml, lists: Lists, levels: ReadonlyMap<string, number>): string {
  const rows = childrenOf(node, 'w:tr').map((row) => {
    const cells = childrenOf(row, 'w:tc').map((cell) => `<td>${blocks(cell, lists, levels)}</td>`)
    return `<tr>${cells.join('')}</tr>`
  })
  return `<table>${rows.join('\n')}</table>\n`
}

function runs(parent: Xml): string {
  let html = ''
  for (const node of parent.children) {
    if (SKIPPED.has(node.nodeName)) continue
    if (node.nodeName === 'w:t') html += escaped(node.textContent ?? '')
    else if (node.nodeName === 'w:tab') html += ' '
    else if (node.nodeName === 'w:br' || node.nodeName === 'w:cr') html += '<br>'
    else if (node.nodeName === 'w:noBreakHyphen') html += '-'
    else if (node.nodeName === 'w:r') html += styled(node, runs(node))
    else if (node.nodeName !== 'w:pPr' && node.nodeName !== 'w:rPr') html += runs(node)
  }
  return html
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
