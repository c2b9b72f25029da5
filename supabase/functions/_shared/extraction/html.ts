import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse, parseFragment, serialize } from 'parse5'
import { Unreadable } from '../errors.ts'
import { MAX_TITLE } from '../facts.ts'
import { chooseAuthor, choosePageTitle, dayOf, type OutlineEntry } from './about.ts'
import { type Extraction, escaped, HeadingPath, MOST_MARKUP, refuseLong, type Section } from './extraction.ts'

type HtmlNode = DefaultTreeAdapterTypes.Node
type HtmlElement = DefaultTreeAdapterTypes.Element

/** Elements whose content is not the text of the page, or says in small letters how a word is read (ruby). */
const NEVER_TEXT = new Set('script style noscript template iframe object head rt rp rtc title'.split(' '))
const BLOCKS = new Set(
  'address article aside blockquote body dd div dl dt fieldset figcaption figure footer form header hr legend li main nav ol p pre section table text tr ul'.split(
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
/** Deeper than any page written by people, and documents within documents (`srcdoc`). */
const DEEPEST = 500
const DEEPEST_FRAME = 3
/** What reader mode and its DOM take in a second; a page of more is read as a whole. */
const MOST_ELEMENTS = 30_000
const MOST_ATTRIBUTES = 200
/** Characters of a block that is more than an entry of a menu, and the share of them below which reader mode has missed the text. */
const SHORTEST_PROSE = 80
const LEAST_PROSE = 0.7

/** The readable part of a web page (what a reader mode shows), or the whole body if no such part is found.
 *  No code of the page runs. Offsets refer to the readable text, whose blocks are separated by empty lines. If a
 *  readable part was found, it is also the rendition.
 *  @throws {Unreadable} when the page contains no text, is too long, or is nested too deeply. */
export function extractHtml(source: string): Extraction {
  refuseLarge(source)
  const page = parsed(source)
  const article = readable(page, 200)
  const title = article?.title ? `<h1>${escaped(article.title)}</h1>` : ''
  const whole = textOf(page)
  const content = article?.content ? `${title}\n${article.content}` : undefined
  const chosen = content ? textOf(parsed(content)) : whole
  const isWhole = proseIn(chosen.sections) < LEAST_PROSE * proseIn(whole.sections)
  const rendition = isWhole ? undefined : content
  let { sections, outline } = isWhole ? whole : chosen
  // Some pages hold their text for those who read without scripts.
  if (sections.length === 0) ({ sections, outline } = textOf(page, true))
  if (sections.length === 0) throw new Unreadable('page_without_text')
  const about = {
    title: choosePageTitle(article?.title ?? titleOf(page)),
    author: chooseAuthor(article?.byline),
    dated: dayOf(article?.publishedTime),
  }
  const extraction = { sections, mimeType: 'text/html', pages: null, about, outline }
  return rendition ? { ...extraction, rendition } : extraction
}

/** Characters of blocks that are longer than an entry of a menu. */
const proseIn = (sections: readonly Section[]): number =>
  sections
    .flatMap(({ text }) => text.split('\n\n'))
    .reduce((sum, { length }) => (length >= SHORTEST_PROSE ? sum + length : sum), 0)

/** What a reader mode makes of a page; null when the page has too many elements for it. */
function readable(page: DefaultTreeAdapterTypes.Document, shortest: number) {
  if (elementsIn(page) > MOST_ELEMENTS) return null
  try {
    const { document } = parseHTML(serialize(page)) as unknown as { document: never }
    return new Readability(document, { charThreshold: shortest }).parse()
  } catch {
    return null
  }
}

/** The page's title and description, for links. */
export function describePage(source: string): { title: string; summary: string } {
  const article = readable(parsed(source), 0)
  const tidy = (text: string | null | undefined) => (text ?? '').replace(/\s+/g, ' ').trim()
  return { title: tidy(article?.title).slice(0, MAX_TITLE), summary: tidy(article?.excerpt).slice(0, 2000) }
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
  return textOf(parsed(source))
}

function textOf(page: HtmlNode, withoutScripts = false): { sections: Section[]; outline: OutlineEntry[] } {
  const walker = new Walker(withoutScripts)
  walker.walk(page)
  return { sections: walker.finish(), outline: walker.outline }
}

/** The content of a page's body as browsers understand it, as HTML. */
export const bodyOf = (source: string): string => {
  const body = firstElement(parsed(source), 'body')
  return body ? serialize(body) : ''
}

/** Files within a page, such as pictures, are not read and do not count.
 *  @throws {Unreadable} for a source that is too long. */
function refuseLarge(source: string): void {
  const inline = source.match(INLINE_FILE) ?? []
  refuseLong(source.length - inline.reduce((sum, { length }) => sum + length, 0), MOST_MARKUP)
}

/** The tree that browsers build, in which frames with a document of their own, and what is said in place of frames, are parts of
 *  the page.
 *  @throws {Unreadable} when it is nested deeper than any written by people. */
function parsed(source: string): DefaultTreeAdapterTypes.Document {
  const page = parse(source, { scriptingEnabled: false, treeAdapter: limitedTree() })
  prepare(page, 0)
  return page
}

const elementsIn = (node: HtmlNode): number => childrenOf(node).reduce((sum, child) => sum + elementsIn(child), 1)

function limitedTree() {
  let depth = 0
  return {
    ...defaultTreeAdapter,
    onItemPush: () => {
      depth += 1
      if (depth > DEEPEST) throw new Unreadable('page_too_deep')
    },
    onItemPop: () => {
      depth -= 1
    },
  }
}

function firstElement(node: HtmlNode, name: string): HtmlElement | undefined {
  if ('tagName' in node && node.tagName === name) return node
  for (const child of childrenOf(node)) {
    const found = firstElement(child, name)
    if (found) return found
  }
  return undefined
}

const childrenOf = (node: HtmlNode): DefaultTreeAdapterTypes.ChildNode[] =>
  'childNodes' in node ? node.childNodes : []

const attributeOf = (node: HtmlNode, name: string) =>
  'attrs' in node ? node.attrs.find((attribute) => attribute.name === name) : undefined

const titleOf = (page: HtmlNode): string => {
  const title = firstElement(page, 'title')
  return title ? wordsOf(title) : ''
}

/** The words of a node on one line. */
const wordsOf = (node: HtmlNode): string => childrenOf(node).map(wordsIn).join('').replace(/\s+/g, ' ').trim()

function wordsIn(node: HtmlNode): string {
  if ('value' in node) return node.value
  if (NEVER_TEXT.has(node.nodeName)) return ''
  if (node.nodeName === 'img') return ` ${alternative(node)} `
  const words = childrenOf(node).map(wordsIn).join('')
  return node.nodeName === 'br' || BLOCKS.has(node.nodeName) ? ` ${words} ` : words
}

/** What is said in place of a picture. */
const alternative = (node: HtmlNode): string => attributeOf(node, 'alt')?.value ?? ''

/** Opens frames, and keeps boxes of a book's text, which DocBook, Sphinx and Asciidoctor name like the columns of links that Readability leaves
 *  out. Each node is looked at once: a page may have very many boxes.
 *  @returns the characters of the node's text, and those that are links. */
function prepare(node: HtmlNode, frames: number): { text: number; links: number } {
  if ('value' in node) return { text: node.value.trim().length, links: 0 }
  if ('tagName' in node) openFrame(node, frames)
  if ('attrs' in node) node.attrs.splice(MOST_ATTRIBUTES)
  const inside = node.nodeName === 'iframe' ? frames + 1 : frames
  const children = childrenOf(node).map((child) => ({ child, ...prepare(child, inside) }))
  const text = children.reduce((sum, one) => sum + one.text, 0)
  const links = node.nodeName === 'a' ? text : children.reduce((sum, one) => sum + one.links, 0)
  for (const { child, ...own } of children) {
    const isProse = own.text >= SHORTEST_BOX && own.links < own.text * MOST_LINKS && text >= 2 * own.text
    const name = attributeOf(child, 'class')
    if (isProse && name && BOX.test(name.value)) name.value = ''
  }
  return { text, links }
}

/** A frame becomes a block of what is in it: of its own document, or of what a page of frames says to those without. */
function openFrame(node: HtmlElement, frames: number): void {
  const { tagName } = node
  const source =
    tagName === 'iframe' ? attributeOf(node, 'srcdoc')?.value : tagName === 'noframes' ? rawText(node) : undefined
  if (tagName === 'frameset') node.tagName = 'body'
  if (!source || frames >= DEEPEST_FRAME) return
  node.tagName = 'div'
  node.attrs = []
  node.childNodes = parseFragment(source, { scriptingEnabled: false, treeAdapter: limitedTree() }).childNodes
}

const rawText = (node: HtmlElement): string =>
  node.childNodes.map((child) => ('value' in child ? child.value : '')).join('')

/** Collects blocks of text under their headings. */
class Walker {
  readonly #withoutScripts: boolean
  readonly #headings = new HeadingPath()
  readonly #sections: Section[] = []
  readonly outline: OutlineEntry[] = []
  #blocks: string[] = []
  #line = ''
  /** Before the first block of a list item, so that a passage shows the list as one. */
  #mark = ''
  #position = 0

  /** @param withoutScripts Whether what is said to those without scripts is read. */
  constructor(withoutScripts: boolean) {
    this.#withoutScripts = withoutScripts
  }

  walk(node: HtmlNode, isSpaced = false): void {
    if ('value' in node) {
      this.#line += isSpaced ? node.value : node.value.replace(/\s+/g, ' ')
      return
    }
    const name = 'tagName' in node ? node.tagName : node.nodeName
    if (NEVER_TEXT.has(name) && !(name === 'noscript' && this.#withoutScripts)) return
    if (name === 'svg') {
      this.#drawing(node)
      return
    }
    const level = /^h([1-6])$/.exec(name)?.[1]
    if (level) {
      this.heading(Number(level), wordsOf(node))
      return
    }
    if (name === 'br') this.#line += '\n'
    if (name === 'img') this.#line += ` ${alternative(node)} `
    if (name === 'td' || name === 'th') {
      this.#cell(node)
      return
    }
    if (BLOCKS.has(name)) this.#endBlock()
    if (name === 'li') this.#mark = '• '
    for (const child of childrenOf(node)) this.walk(child, isSpaced || name === 'pre' || name === 'textarea')
    if (BLOCKS.has(name)) this.#endBlock()
    if (name === 'li') this.#mark = ''
  }

  /** Of a drawing, what is written in it. */
  #drawing(node: HtmlNode): void {
    for (const child of childrenOf(node)) {
      if (child.nodeName === 'text' || child.nodeName === 'foreignObject') this.walk(child)
      else this.#drawing(child)
    }
  }

  /** A row is one line of its cells, so that a passage shows what belongs together. A cell of more than a few words is laid
   *  out as text: pages are often laid out by tables. */
  #cell(node: HtmlNode): void {
    const text = wordsOf(node)
    if (text.length > LONGEST_CELL) {
      this.#endBlock()
      for (const child of childrenOf(node)) this.walk(child)
      this.#endBlock()
    } else if (text) this.#line = this.#line.trim() ? `${this.#line.trimEnd()} | ${text}` : text
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
