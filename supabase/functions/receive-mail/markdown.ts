import { fromHtml } from 'hast-util-from-html'
import { toMdast } from 'hast-util-to-mdast'
import { gfmStrikethroughToMarkdown } from 'mdast-util-gfm-strikethrough'
import { gfmTableToMarkdown } from 'mdast-util-gfm-table'
import { toMarkdown } from 'mdast-util-to-markdown'

/** The syntax tree properties used here, of HTML (hast) and Markdown (mdast). */
type HtmlNode = {
  type: string
  tagName?: string
  properties?: Record<string, unknown>
  children?: HtmlNode[]
  value?: string
}
export type Block = { type: string; children?: Block[]; [property: string]: unknown }

/** Limits above which a mail's plain text is used: characters, elements, open elements. A newsletter has 5,000. */
const MAX_HTML_LENGTH = 2_000_000
const MAX_ELEMENTS = 20_000
const MAX_OPEN_ELEMENTS = 300
/** The limit for formatting elements, which the parser reopens in each paragraph. */
const MAX_FORMATS = 20
const FORMATS = new Set('a b big code em font i nobr s small strike strong tt u'.split(' '))

const NEVER_TEXT = new Set(
  'base button canvas embed frame frameset head iframe input link meta noscript object script select style svg math template textarea title o:p'.split(
    ' ',
  ),
)
const FOLLOWED = /^(?:https?|mailto|tel):/i
const ADDRESS = /\bhttps?:\/\/[^\s<>"]{1,2000}/gi
/** Elements whose end tag is optional. */
const OPEN_ENDED = new Set(
  'html head body p li dt dd tr td th thead tbody tfoot colgroup option rt rp area base br col embed hr img input link meta source track wbr'.split(
    ' ',
  ),
)

const root = (children: readonly Block[]) => ({ type: 'root', children }) as never

/** Writes blocks as Markdown. Escapes all text, so none of it becomes a link, a mention or HTML. */
export const writeMarkdown = (blocks: readonly Block[]): string =>
  toMarkdown(root(blocks), {
    bullet: '-',
    rule: '-',
    listItemIndent: 'one',
    // Without GFM's autolinks, whose writer would escape addresses.
    extensions: [gfmTableToMarkdown({ tablePipeAlign: false }), gfmStrikethroughToMarkdown()],
  }).trim()

/** Converts a mail's HTML to blocks. Runs no code and fetches nothing: a remote picture, which would reveal who opens
 *  the note, is replaced by its description.
 *  @param picture Returns the note's name for an included picture.
 *  @returns null if the HTML is too large or nested too deeply. */
export function blocksOfHtml(html: string, picture: (address: string) => string | undefined): Block[] | null {
  if (html.length > MAX_HTML_LENGTH || isTangled(html)) return null
  // A mail may contain several HTML documents.
  return html.split(/<\/html\s*>/i).flatMap((document) => {
    const tree = fromHtml(document) as unknown as HtmlNode
    tidy(tree, picture)
    const options = { document: true, handlers: { comment: () => undefined } }
    return withoutEmpty((toMdast(tree as never, options) as unknown as Block).children ?? [])
  })
}

/** Whether HTML has more elements, or deeper nesting, than can be parsed quickly. Counts each tag name separately,
 *  because an end tag without its element closes nothing. */
function isTangled(html: string): boolean {
  const open = new Map<string, number>()
  const opened = { elements: 0, now: 0, formats: 0 }
  for (const [, end, name = ''] of html.toLowerCase().matchAll(/<(\/?)([a-z][^\s/>]*)/g)) {
    const count = open.get(name) ?? 0
    if (!end) opened.elements++
    if (!OPEN_ENDED.has(name) && !(end && count === 0)) {
      const step = end ? -1 : 1
      open.set(name, count + step)
      opened.now += step
      if (FORMATS.has(name)) opened.formats += step
    }
    if (opened.elements > MAX_ELEMENTS || opened.now > MAX_OPEN_ELEMENTS || opened.formats > MAX_FORMATS) return true
  }
  return false
}

/** Drops blank paragraphs, which mail programs insert for spacing. */
function withoutEmpty(blocks: readonly Block[]): Block[] {
  return blocks.flatMap((block) => {
    if (block.type === 'paragraph') return block.children?.every(isBlank) ? [] : [block]
    if (block.type !== 'blockquote' && block.type !== 'list' && block.type !== 'listItem') return [block]
    const children = withoutEmpty(block.children ?? [])
    return children.length > 0 ? [{ ...block, children }] : []
  })
}

const isBlank = ({ type, value, children }: Block): boolean =>
  type === 'break' || (children ? children.every(isBlank) : typeof value === 'string' && value.trim() === '')

/** Reduces the tree, in place, to what a note can show. */
function tidy(node: HtmlNode, picture: (address: string) => string | undefined): void {
  if (!node.children) return
  node.children = node.children.flatMap((child) => {
    if (child.type === 'comment' || (child.tagName && NEVER_TEXT.has(child.tagName))) return []
    tidy(child, picture)
    if (child.tagName === 'img') return pictureOf(child, picture)
    if (child.tagName === 'a') return linkOf(child)
    if (child.tagName === 'table') return isLayout(child) ? unfolded(child) : [withHead(child)]
    return [child]
  })
}

function linkOf(link: HtmlNode): HtmlNode[] {
  const href = String(link.properties?.href ?? '').trim()
  return FOLLOWED.test(href) ? [{ ...link, properties: { href } }] : (link.children ?? [])
}

function pictureOf(image: HtmlNode, picture: (address: string) => string | undefined): HtmlNode[] {
  const { src, alt } = image.properties ?? {}
  const name = picture(String(src ?? ''))
  if (name) return [{ ...image, properties: { src: name, alt } }]
  return alt ? [{ type: 'text', value: String(alt) }] : []
}

/** Whether a table is only for layout, which is common in mails. So is any table with a single row or column. */
function isLayout(table: HtmlNode): boolean {
  const rows = descendants(table, 'tr')
  return (
    table.properties?.role === 'presentation' ||
    descendants(table, 'table').length > 0 ||
    rows.length < 2 ||
    rows.every((row) => (row.children ?? []).filter(({ type }) => type === 'element').length < 2)
  )
}

/** In Markdown, a table's first row is its header. */
function withHead(table: HtmlNode): HtmlNode {
  if (descendants(table, 'th').length === 0) {
    for (const cell of descendants(table, 'tr')[0]?.children ?? []) if (cell.tagName === 'td') cell.tagName = 'th'
  }
  return table
}

const descendants = (node: HtmlNode, name: string): HtmlNode[] =>
  (node.children ?? []).flatMap((child) => [...(child.tagName === name ? [child] : []), ...descendants(child, name)])

function unfolded(table: HtmlNode): HtmlNode[] {
  const cells = (node: HtmlNode): HtmlNode[] =>
    (node.children ?? []).flatMap((child) =>
      child.tagName === 'td' || child.tagName === 'th' || child.tagName === 'caption'
        ? [{ ...child, tagName: 'div', properties: {} }]
        : child.type === 'element'
          ? cells(child)
          : [],
    )
  return cells(table)
}

/** Converts plain text to blocks: paragraphs with line breaks, quotes, and addresses as links. */
export function blocksOfText(text: string): Block[] {
  return blocksOfLines(text.replaceAll(/\r\n?/g, '\n').split('\n'), 0)
}

const MAX_QUOTE_DEPTH = 20

function blocksOfLines(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; ) {
    const isQuote = depth < MAX_QUOTE_DEPTH && isQuoted(lines[at])
    const kind = (index: number) =>
      lines[index]?.trim() === '' ? 'blank' : depth < MAX_QUOTE_DEPTH && isQuoted(lines[index]) ? 'quote' : 'text'
    const first = kind(at)
    let end = at + 1
    while (end < lines.length && kind(end) === first) end++
    const part = lines.slice(at, end)
    if (isQuote)
      blocks.push({
        type: 'blockquote',
        children: blocksOfLines(
          part.map((line) => line.replace(/^> ?/, '')),
          depth + 1,
        ),
      })
    else if (first === 'text') blocks.push({ type: 'paragraph', children: inlineOf(part) })
    at = end
  }
  return blocks
}

const isQuoted = (line: string | undefined): boolean => line?.startsWith('>') ?? false

function inlineOf(lines: readonly string[]): Block[] {
  return lines.flatMap((line, index) => [...(index > 0 ? [{ type: 'break' }] : []), ...linked(line.trim())])
}

function linked(text: string): Block[] {
  const nodes: Block[] = []
  let from = 0
  for (const found of text.matchAll(ADDRESS)) {
    const url = withoutPunctuation(found[0])
    if (found.index > from) nodes.push({ type: 'text', value: text.slice(from, found.index) })
    nodes.push({ type: 'link', url, children: [{ type: 'text', value: url }] })
    from = found.index + url.length
  }
  if (from < text.length) nodes.push({ type: 'text', value: text.slice(from) })
  return nodes
}

/** Trims trailing punctuation from an address, except for a bracket that it opens. */
function withoutPunctuation(address: string): string {
  const plain = address.replace(/(?<![.,;:!?'*_~\]])[.,;:!?'*_~\]]+$/, '')
  return plain.endsWith(')') && !plain.includes('(') ? withoutPunctuation(plain.slice(0, -1)) : plain
}
