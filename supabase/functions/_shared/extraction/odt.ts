import { Unreadable } from '../errors.ts'
import { type Extraction, escaped } from './extraction.ts'
import { extractionOf } from './html.ts'
import { MAX_CELLS, MAX_COLUMNS, type Sheet, workbook } from './xlsx.ts'
import { all, childrenOf, find, parseXml, propertiesOf, type Xml } from './xml.ts'
import type { Zip } from './zip.ts'

const DAMAGED = 'odt_damaged'
const SKIPPED = new Set([
  'text:tracked-changes',
  'text:ruby-text',
  'text:sequence-decls',
  'office:binary-data',
  'annotation',
])

const EDGES = ['header', 'footer'].flatMap((name) => ['', '-left', '-first'].map((page) => `style:${name}${page}`))

/** Converts an OpenDocument text, spreadsheet or presentation (ISO/IEC 26300) to sections under its headings, with a
 *  readable copy of paragraphs, headings, lists and tables.
 *  @throws {Unreadable} if it's damaged, malicious or contains no text. */
export function extractOdt(archive: Zip): Extraction {
  if (archive.text('META-INF/manifest.xml')?.includes('encryption-data')) throw new Unreadable('archive_protected')
  const [content, styles, meta] = ['content', 'styles', 'meta'].map((name) => archive.text(`${name}.xml`))
  // Formulas and charts.
  const objects = [...archive.entries.keys()].filter((name) => name.endsWith('/content.xml'))
  const objectsHtml = () => objects.map((name) => objectHtml(archive.text(name))).join('')
  return extractOpenDocument(content, styles, meta, objectsHtml)
}

/** Like extractOdt, for the parts of a document, or for one in a single file. */
export function extractOpenDocument(source?: string, styles = source, meta = source, objects = () => ''): Extraction {
  const content = parseXml(source, DAMAGED)
  const about = propertiesOf(meta, 'meta:creation-date')
  const sheets = find(content, 'office:spreadsheet')
  const allowed = { left: MAX_CELLS }
  const tables = sheets && Array.from(all(sheets, 'table:table'), (table) => sheetOf(table, allowed))
  if (tables) return { ...workbook('ods', tables), about }
  const slides = find(content, 'office:presentation') ?? find(content, 'office:drawing')
  const body = slides ?? find(content, 'office:text')
  if (!body) throw new Unreadable(DAMAGED)
  const html = slides ? [...all(slides, 'draw:page')].map(slide).join('') : blocks(body) + edges(styles)
  const [ending, empty] = slides
    ? (['odp', 'slides_without_text'] as const)
    : (['odt', 'document_of_pictures'] as const)
  return { ...extractionOf(ending, html + objects(), empty), about }
}

function objectHtml(source: string | undefined): string {
  if (!source) return ''
  const object = parseXml(source, DAMAGED)
  const formula = find(object, 'semantics') ?? find(object, 'math:semantics')
  const texts = formula ? [formula] : [...all(object, 'text:p')]
  return texts.map((one) => element('p', inline(one))).join('')
}

/** Reads the displayed value of each cell. Repetition of cells is capped. */
function sheetOf(table: Xml, allowed: { left: number }): Sheet {
  const rows = [...all(table, 'table:table-row')].map((row) => {
    const cells: string[] = []
    for (const cell of row.children) {
      const times = Number(cell.getAttribute('table:number-columns-repeated')) || 1
      const text = childrenOf(cell, 'text:p').map(({ textContent }) => textContent)
      for (let left = Math.min(times, MAX_COLUMNS - cells.length); left > 0; left--) cells.push(text.join(' ').trim())
    }
    const last = cells.findLastIndex(Boolean)
    allowed.left -= last + 1
    if (allowed.left < 0) throw new Unreadable('too_many_cells')
    return cells.slice(0, last + 1)
  })
  const notes = ['office:annotation', 'draw:frame', 'draw:custom-shape'].flatMap((name) => [...all(table, name)])
  const beside = notes.map((note) => [...all(note, 'text:p')].map((text) => element('p', inline(text))).join(''))
  return {
    name: table.getAttribute('table:name') ?? '',
    rows: rows.filter((row) => row.length > 0),
    beside: beside.join(''),
  }
}

function slide(page: Xml, index: number): string {
  const isTitle = (frame: Xml) => frame.getAttribute('presentation:class') === 'title'
  const frames = page.children
  const texts = frames
    .filter(isTitle)
    .flatMap((frame) => [...all(frame, 'text:p')].map(({ textContent }) => textContent))
  const title = texts.join(' ').replace(/\s+/g, ' ').trim()
  const body = frames.map((frame) => (isTitle(frame) ? '' : block(frame))).join('')
  const heading = title || (body.replace(/<[^>]*>/g, '').trim() && `Slide ${index + 1}`)
  return heading ? `<section><h2>${escaped(heading)}</h2>\n${body}</section>` : ''
}

function blocks(parent: Xml): string {
  let html = ''
  for (const node of parent.children) html += block(node)
  return html
}

function block(node: Xml): string {
  switch (node.nodeName) {
    case 'text:h': {
      const level = Math.min(6, Math.max(1, Number(node.getAttribute('text:outline-level')) || 1))
      return element(`h${level}`, inline(node))
    }
    case 'svg:title':
    case 'svg:desc':
    case 'text:p':
      // A title has no outline level, but all programs use the same style name.
      return element(/^Title$/i.test(node.getAttribute('text:style-name') ?? '') ? 'h1' : 'p', inline(node))
    case 'text:list':
      return element('ul', blocks(node))
    case 'text:list-item':
    case 'text:list-header':
      return element('li', blocks(node))
    case 'table:table':
      return element('table', blocks(node))
    case 'table:table-row':
      return element('tr', blocks(node))
    case 'form:text':
    case 'form:textarea':
    case 'form:combobox':
      return element('p', escaped(node.getAttribute('form:current-value') ?? node.getAttribute('form:value') ?? ''))
    case 'table:table-cell':
      return `<td>${blocks(node)}</td>`
    default:
      return SKIPPED.has(node.nodeName) ? '' : blocks(node)
  }
}

/** Returns headers and footers, such as a letterhead. */
function edges(styles: string | undefined): string {
  const master = styles && find(parseXml(styles, DAMAGED), 'office:master-styles')
  const found = master ? EDGES.flatMap((name) => [...all(master, name)].map(blocks)) : []
  return [...new Set(found)].join('')
}

const element = (tag: string, content: string): string => (content.trim() === '' ? '' : `<${tag}>${content}</${tag}>\n`)

function inline(parent: Xml): string {
  let html = ''
  for (const node of parent.childNodes) {
    if (node.nodeType === 3) html += escaped(node.textContent ?? '')
    else if (node.nodeName === 'text:s') html += ' '.repeat(Math.min(100, Number(node.getAttribute('text:c')) || 1))
    else if (node.nodeName === 'text:tab') html += ' '
    else if (node.nodeName === 'text:line-break') html += '<br>'
    else if (node.nodeName === 'text:note') html += notes(find(node, 'text:note-body'))
    else if (node.nodeName === 'office:annotation') html += notes(node)
    else if (/^svg:(?:title|desc)$/.test(node.nodeName)) html += ` ${inline(node)} `
    else if (!SKIPPED.has(node.nodeName)) html += inline(node)
  }
  return html
}

function notes(note: Xml | undefined): string {
  const paragraphs = note ? [...all(note, 'text:p')].map((one) => inline(one).trim()) : []
  const text = paragraphs.filter(Boolean).join(' ')
  return text && ` (${text})`
}
