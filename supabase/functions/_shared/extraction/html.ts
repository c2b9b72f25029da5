import { Readability } from '@mozilla/readability'
import { Parser } from 'htmlparser2'
import { parseHTML } from 'linkedom'
import { Unreadable } from '../errors.ts'
import { chooseAuthor, choosePageTitle, dayOf, type OutlineEntry } from './about.ts'
import { escaped } from './csv.ts'
import { type Extraction, HeadingPath, MOST_MARKUP, refuseLong, type Section } from './extraction.ts'

/** The parts of the DOM that are used here; the functions' runtime has no types for it. */
type HtmlNode = {
  readonly nodeType: number
  readonly nodeName: string
  readonly textContent: string | null
  readonly childNodes: Iterable<HtmlNode>
  /** Of elements. */
  className?: string
}

const NEVER_TEXT = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'SVG', 'IFRAME', 'OBJECT', 'HEAD'])
const BLOCKS = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE DD DIV DL DT FIGCAPTION FIGURE FOOTER FORM HEADER HR LI MAIN NAV OL P PRE SECTION TABLE TR UL'.split(
    ' ',
  ),
)
const BOX = /(?:^|\s)sidebar(?:block)?(?:\s|$)/
/** Characters of a box that is text of its page, and the share of them that may be links. */
const SHORTEST_BOX = 150
const MOST_LINKS = 0.2
/** Characters of a table's cell. */
const LONGEST_CELL = 300
const INLINE_FILE = /\bdata:[a-z0-9+./-]+;base64,[a-z0-9+/=]+/gi
/** Deeper than any page written by people. The parser's time grows with the square of the depth. */
const DEEPEST = 500

/** The readable part of a web page (what a reader mode shows), or the whole body if no such part is found.
 *  No code of the page runs. Offsets refer to the readable text, whose blocks are separated by empty lines. If a
 *  readable part was found, it is also the rendition.
 *  @throws {Unreadable} when the page contains no text, is too long, or is nested too deeply. */
export function extractHtml(source: string): Extraction {
  refuseLarge(source)
  // Readability modifies the tree it is given, so the fallback below parses its own.
  const page = parse(source)
  keepBoxes(page.body)
  const article = new Readability(page as never, { charThreshold: 200, maxElemsToParse: 100_000 }).parse()
  const title = article?.title ? `<h1>${escaped(article.title)}</h1>` : ''
  const { sections, outline } = textOfHtml(article?.content ? `${title}\n${article.content}` : source)
  if (sections.length === 0) {
    throw new Unreadable('page_without_text')
  }
  const about = {
    title: choosePageTitle(article?.title),
    author: chooseAuthor(article?.byline),
    dated: dayOf(article?.publishedTime),
  }
  const extraction = { sections, mimeType: 'text/html', pages: null, about, outline }
  return article?.content ? { ...extraction, rendition: `${title}\n${article.content}` } : extraction
}

/** The page's title and description, for links. */
export function describePage(source: string): { title: string; summary: string } {
  if (isTooDeep(source)) return { title: '', summary: '' }
  const article = new Readability(parse(source) as never, { charThreshold: 0, maxElemsToParse: 100_000 }).parse()
  const tidy = (text: string | null | undefined) => (text ?? '').replace(/\s+/g, ' ').trim()
  return { title: tidy(article?.title).slice(0, 300), summary: tidy(article?.excerpt).slice(0, 2000) }
}

/** The beginning of a page in which its picture is looked for, in characters, and the elements that may name it. */
const HEAD = 200_000
const META = /<meta\b[^>]{1,4000}>/gi
const NAMES_PICTURE = /\b(?:property|name)\s*=\s*["']?(?:og:image(?:(?::secure)?:url)?|twitter:image)["'\s/>]/i
const CONTENT = /\bcontent\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i

/** The address of the picture by which a page presents itself elsewhere (Open Graph's `og:image`).
 *  @param url The page's own address, to which the picture's may be relative.
 *  @returns null when the page names none. */
export function pictureOf(source: string, url: string): string | null {
  for (const [meta] of source.slice(0, HEAD).matchAll(META)) {
    if (!NAMES_PICTURE.test(meta)) continue
    const [, double, single, bare] = CONTENT.exec(meta) ?? []
    const address = (double ?? single ?? bare ?? '').replaceAll('&amp;', '&').trim()
    if (address) return URL.parse(address, url)?.href ?? null
  }
  return null
}

/** Converts HTML completely to sections under its headings, with the headings themselves.
 *  @throws {Unreadable} when it is too long, or nested deeper than any page written by people. */
export function textOfHtml(source: string): { sections: Section[]; outline: OutlineEntry[] } {
  refuseLarge(source)
  const walker = new Walker()
  walker.walk(parse(source).body)
  return { sections: walker.finish(), outline: walker.outline }
}

/** Files within a page, such as pictures, are not read and do not count.
 *  @throws {Unreadable} for a source that is too long, or nested deeper than any written by people. */
function refuseLarge(source: string): void {
  const inline = source.match(INLINE_FILE) ?? []
  refuseLong(source.length - inline.reduce((sum, { length }) => sum + length, 0), MOST_MARKUP)
  if (isTooDeep(source)) throw new Unreadable('page_too_deep')
}

/** Asks the parser that linkedom builds its tree with, which itself takes a time that grows with the page. */
function isTooDeep(source: string): boolean {
  let depth = 0
  let deepest = 0
  const parser = new Parser({
    onopentagname: () => {
      depth += 1
      deepest = Math.max(deepest, depth)
      // The search for what an end tag closes goes through all open elements.
      if (deepest > DEEPEST) parser.reset()
    },
    onclosetag: () => {
      depth -= 1
    },
  })
  parser.end(source)
  return deepest > DEEPEST
}

/** Keeps boxes of a book's text, which DocBook, Sphinx and Asciidoctor name like the columns of links that Readability leaves
 *  out. Each node is looked at once: a page may have very many boxes.
 *  @returns the characters of the node's text, and those that are links. */
function keepBoxes(node: HtmlNode): { text: number; links: number } {
  if (node.nodeType === 3) return { text: (node.textContent ?? '').trim().length, links: 0 }
  const children = [...node.childNodes].map((child) => ({ child, ...keepBoxes(child) }))
  const text = children.reduce((sum, one) => sum + one.text, 0)
  const links = node.nodeName === 'A' ? text : children.reduce((sum, one) => sum + one.links, 0)
  for (const { child, ...own } of children) {
    const isProse = own.text >= SHORTEST_BOX && own.links < own.text * MOST_LINKS && text >= 2 * own.text
    if (isProse && BOX.test(child.className ?? '')) child.className = ''
  }
  return { text, links }
}

function parse(source: string): { body: HtmlNode } {
  const page = /<html[\s>]/i.test(source) ? source : `<html><body>${source}</body></html>`
  return (parseHTML(page) as unknown as { document: { body: HtmlNode } }).document
}

/** Collects blocks of text under their headings. */
class Walker {
  readonly #headings = new HeadingPath()
  readonly #sections: Section[] = []
  readonly outline: OutlineEntry[] = []
  #blocks: string[] = []
  #line = ''
  /** Before the first block of a list item, so that a passage shows the list as one. */
  #mark = ''
  #position = 0

  walk(node: HtmlNode): void {
    if (node.nodeType === 3) {
      this.#line += node.textContent ?? ''
      return
    }
    const name = node.nodeName.toUpperCase()
    if (NEVER_TEXT.has(name)) return
    const level = /^H([1-6])$/.exec(name)?.[1]
    if (level) {
      this.heading(Number(level), (node.textContent ?? '').replace(/\s+/g, ' ').trim())
      return
    }
    if (name === 'BR') this.#line += '\n'
    if (name === 'TD' || name === 'TH') {
      this.#cell(node)
      return
    }
    if (BLOCKS.has(name)) this.#endBlock()
    if (name === 'LI') this.#mark = '• '
    for (const child of node.childNodes) this.walk(child)
    if (BLOCKS.has(name)) this.#endBlock()
    if (name === 'LI') this.#mark = ''
  }

  /** A row is one line of its cells, so that a passage shows what belongs together. A cell of more than a few words is laid
   *  out as text: pages are often laid out by tables. */
  #cell(node: HtmlNode): void {
    const text = (node.textContent ?? '').replace(/\s+/g, ' ').trim()
    if (text.length > LONGEST_CELL) {
      this.#endBlock()
      for (const child of node.childNodes) this.walk(child)
      this.#endBlock()
    } else if (text) this.#line += this.#line.trim() ? ` | ${text}` : text
  }

  heading(level: number, text: string): void {
    this.#endSection()
    for (const heading of this.#headings.enter(level, text)) this.#add(heading)
    if (text) this.outline.push({ title: text.slice(0, 200), level, page: null })
  }

  finish(): Section[] {
    this.heading(0, '')
    return this.#sections
  }

  #endBlock(): void {
    const text = this.#line
      .replace(/[^\S\n]+/g, ' ')
      .replace(/ ?\n ?/g, '\n')
      .trim()
    if (text) {
      this.#blocks.push(this.#mark + text)
      this.#mark = ''
    }
    this.#line = ''
  }

  #endSection(): void {
    this.#endBlock()
    if (this.#blocks.length === 0) return
    this.#add({ heading: this.#headings.aboveText(), text: this.#blocks.join('\n\n') })
    this.#blocks = []
  }

  #add(section: Pick<Section, 'heading' | 'text'>): void {
    this.#sections.push({ page: null, ...section, start: this.#position })
    this.#position += section.text.length + 2
  }
}
