import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse, parseFragment, serialize } from 'parse5'
import { type PlainUnreadableCode, Unreadable } from '../errors.ts'
import { MAX_TITLE } from '../facts.ts'
import { mediaTypeOf } from '../file-kinds.ts'
import { chooseAuthor, choosePageTitle, dayOf, type OutlineEntry } from './about.ts'
import {
  type Extraction,
  escaped,
  HeadingPath,
  MAX_MARKUP_LENGTH,
  refuseLong,
  type Section,
  UNSPACED_LINE_END,
} from './extraction.ts'

type HtmlNode = DefaultTreeAdapterTypes.Node
type HtmlElement = DefaultTreeAdapterTypes.Element

/** Elements whose content isn't text of the page, or is a ruby annotation. */
const NEVER_TEXT = new Set(
  'script style noscript template iframe head rt rp rtc title annotation annotation-xml'.split(' '),
)
const BLOCKS = new Set(
  'address article aside blockquote body button center dd details dialog dir div dl dt fieldset figcaption figure footer form header hr legend li main menu nav ol option p pre section select summary table text textarea tr ul'.split(
    ' ',
  ),
)
const BOX = /(?:^|\s)sidebar(?:block)?(?:\s|$)/
/** The minimum length in characters of a box kept as text, and the maximum share of links in it. */
const MIN_BOX_LENGTH = 150
const MAX_LINK_SHARE = 0.2
const MAX_CELL_LENGTH = 300
const INLINE_FILE = /\bdata:[a-z0-9+./-]+;base64,[a-z0-9+/=]+/gi
/** Deeper than any real page, and the nesting limit for `srcdoc` documents. */
const MAX_DEPTH = 500
const MAX_FRAME_DEPTH = 3
/** What reader mode and its DOM handle within a second; larger pages are read as a whole. */
const MAX_PARTS = 30_000
const MAX_ATTRIBUTES = 200
/** Characters of a block that isn't a menu entry, and the share of them that reader mode must keep. */
const MIN_PROSE_LENGTH = 80
const MIN_PROSE_SHARE = 0.7
/** Characters of a page so short that reader mode may lose less of it. */
const SHORT_PAGE = 3000
const MIN_SHORT_SHARE = 0.9
/** The share of a page's characters above which it has nothing around its text, such as a document saved as a page. */
const ALL_SAID = 0.95
const MIN_DOCUMENT_SHARE = 0.99
/** What may be next to a heading in its box. */
const EMPTY = /^(?:#text|#comment|a|br|p|span)$/
const AROUND_TEXT = new Set([...NEVER_TEXT, ...'a nav header footer aside button select'.split(' ')])

/** Extracts the readable part of a web page (as in reader mode), or the whole body if there is none. Never runs the
 *  page's code. Offsets refer to the readable text, whose blocks are separated by empty lines. The readable part is
 *  also the rendition.
 *  @throws {Unreadable} if the page has no text, is too long or nested too deeply. */
export function extractHtml(source: string): Extraction {
  refuseLarge(source)
  const page = parsed(source)
  const article = readable(page, 200)
  const title = choosePageTitle(article?.title ?? titleOf(page))
  const heading = title ? `<h1>${escaped(title)}</h1>` : ''
  const whole = textOf(page)
  const content = article?.content ? `${heading}\n${article.content}` : undefined
  const shown = content ? parsed(content) : page
  const chosen = content ? textOf(shown) : whole
  const said = saidIn(page)
  const isWhole =
    proseIn(chosen.sections) < MIN_PROSE_SHARE * proseIn(whole.sections) ||
    saidIn(shown) < leastShare(page, said) * said
  const rendition = isWhole ? undefined : content
  let { sections, outline } = isWhole ? whole : chosen
  // Some pages have their text in `noscript`.
  if (sections.length === 0) ({ sections, outline } = textOf(page, true))
  if (sections.length === 0) throw new Unreadable('page_without_text')
  const about = {
    title,
    author: chooseAuthor(article?.byline),
    dated: dayOf(article?.publishedTime),
  }
  const extraction = { sections, mimeType: 'text/html', pages: null, about, outline }
  return rendition ? { ...extraction, rendition } : extraction
}

/** Characters other than spaces, also those around the page's text. */
const lettersIn = (node: HtmlNode, apart = NEVER_TEXT): number =>
  'value' in node
    ? node.value.replace(/\s+/g, '').length
    : apart.has(node.nodeName)
      ? 0
      : childrenOf(node).reduce((sum, child) => sum + lettersIn(child, apart), 0)

/** Characters that are neither links nor in parts of the page around its text. */
const saidIn = (node: HtmlNode): number => lettersIn(node, AROUND_TEXT)

/** Returns the share of a page's text that reader mode may not fall below. */
function leastShare(page: HtmlNode, said: number): number {
  if (said > ALL_SAID * lettersIn(page) && !hasParts(page)) return MIN_DOCUMENT_SHARE
  return said < SHORT_PAGE ? MIN_SHORT_SHARE : 0
}

/** Whether the page says itself what's around its text. */
const hasParts = (node: HtmlNode): boolean =>
  /^(?:nav|header|footer|aside)$/.test(node.nodeName) || childrenOf(node).some(hasParts)

const proseIn = (sections: readonly Section[]): number =>
  sections
    .flatMap(({ text }) => text.split('\n\n'))
    .reduce((sum, { length }) => (length >= MIN_PROSE_LENGTH ? sum + length : sum), 0)

function readable(page: DefaultTreeAdapterTypes.Document, shortest: number) {
  if (partsIn(page) > MAX_PARTS) return null
  try {
    const { document } = parseHTML('') as unknown as { document: never }
    copyInto(document, page, document)
    return new Readability(document, { charThreshold: shortest }).parse()
  } catch {
    return null
  }
}

type DomNode = { appendChild(child: DomNode): void; setAttribute(name: string, value: string): void }
type Dom = DomNode & { createTextNode(text: string): DomNode; createElement(name: string): DomNode }

/** Copies a page into the DOM that reader mode needs. Parsing its source again would divide texts at each entity. */
function copyInto(parent: DomNode, from: HtmlNode, document: Dom): void {
  for (const child of childrenOf(from)) {
    if ('value' in child) parent.appendChild(document.createTextNode(child.value))
    if (!('tagName' in child)) continue
    const element = document.createElement(child.tagName)
    for (const { name, value } of child.attrs) element.setAttribute(name, value)
    copyInto(element, child, document)
    parent.appendChild(element)
  }
}

export function describePage(source: string): { title: string; summary: string } {
  const article = readable(parsed(source), 0)
  const tidy = (text: string | null | undefined) => (text ?? '').replace(/\s+/g, ' ').trim()
  return { title: tidy(article?.title).slice(0, MAX_TITLE), summary: tidy(article?.excerpt).slice(0, 2000) }
}

const NAMES_PICTURE = /^(?:og:image(?:(?::secure)?:url)?|twitter:image)$/i

/** Returns the address of a page's preview image (`og:image`), or null.
 *  @param url The page's address, which the image's may be relative to. */
export function pictureOf(source: string, url: string): string | null {
  const named = [...elementsNamed(parsed(source), 'meta')].filter((meta) =>
    ['property', 'name'].some((name) => NAMES_PICTURE.test(attributeOf(meta, name)?.value ?? '')),
  )
  const address = named.map((meta) => attributeOf(meta, 'content')?.value.trim()).find(Boolean)
  return address ? (URL.parse(address, url)?.href ?? null) : null
}

/** Converts a whole HTML document to sections under its headings.
 *  @throws {Unreadable} if it's too long or nested too deeply. */
export function textOfHtml(source: string): { sections: Section[]; outline: OutlineEntry[] } {
  refuseLarge(source)
  return textOf(parsed(source))
}

/** Reads the readable copy that a file was converted to. @throws {Unreadable} if it contains no text. */
export function extractionOf(ending: string, html: string, empty: PlainUnreadableCode): Extraction {
  const { sections, outline } = textOfHtml(html)
  if (sections.length === 0) throw new Unreadable(empty)
  return { sections, mimeType: mediaTypeOf(ending), pages: null, rendition: html, outline }
}

function textOf(page: HtmlNode, withoutScripts = false): { sections: Section[]; outline: OutlineEntry[] } {
  const walker = new Walker(withoutScripts)
  walker.walk(page)
  return { sections: walker.finish(), outline: walker.outline }
}

export const bodyOf = (source: string): string => {
  const body = firstElement(parsed(source), 'body')
  return body ? serialize(body) : ''
}

/** Inlined files, such as pictures, don't count toward the limit. @throws {Unreadable} if the source is too long. */
function refuseLarge(source: string): void {
  const inline = source.match(INLINE_FILE) ?? []
  refuseLong(source.length - inline.reduce((sum, { length }) => sum + length, 0), MAX_MARKUP_LENGTH)
}

/** Parses like a browser, with `srcdoc` frames and frame fallbacks inlined.
 *  @throws {Unreadable} if it's nested too deeply. */
function parsed(source: string): DefaultTreeAdapterTypes.Document {
  const written = /^\s*<\?xml\b/.test(source) ? inHtml(source) : source
  // The content of a shadow root is shown, that of other templates isn't.
  const shown = written.replace(/<template(?=\s[^<>]*\bshadowrootmode\b)/gi, '<div')
  const page = parse(shown, { scriptingEnabled: false, treeAdapter: limitedTree() })
  prepare(page, 0)
  return page
}

/** In HTML, a self-closing XHTML element would stay open and swallow the rest. */
export const inHtml = (source: string): string =>
  source.replace(
    /<(?!(?:br|hr|img|wbr|input|col|area|source|track)\b)([a-z][\w:-]*)((?:\s[^<>]*?)?)\/>/gi,
    '<$1$2></$1>',
  )

/** Counts elements, and signs that reader mode's DOM escapes, because it makes a text node of each. */
const partsIn = (node: HtmlNode): number =>
  'value' in node
    ? (node.value.match(/[&<>]/g)?.length ?? 0)
    : childrenOf(node).reduce((sum, child) => sum + partsIn(child), 1)

function limitedTree() {
  let depth = 0
  return {
    ...defaultTreeAdapter,
    onItemPush: () => {
      depth += 1
      if (depth > MAX_DEPTH) throw new Unreadable('page_too_deep')
    },
    onItemPop: () => {
      depth -= 1
    },
  }
}

function* elementsNamed(node: HtmlNode, name: string): Generator<HtmlElement> {
  if ('tagName' in node && node.tagName === name) yield node
  for (const child of childrenOf(node)) yield* elementsNamed(child, name)
}

const firstElement = (node: HtmlNode, name: string): HtmlElement | undefined => elementsNamed(node, name).next().value

const childrenOf = (node: HtmlNode): DefaultTreeAdapterTypes.ChildNode[] =>
  'childNodes' in node ? node.childNodes : []

const attributeOf = (node: HtmlNode, name: string) =>
  'attrs' in node ? node.attrs.find((attribute) => attribute.name === name) : undefined

const titleOf = (page: HtmlNode): string => {
  const title = firstElement(page, 'title')
  return title ? wordsOf(title) : ''
}

const wordsOf = (node: HtmlNode): string =>
  childrenOf(node).map(wordsIn).join('').replace(UNSPACED_LINE_END, '').replace(/\s+/g, ' ').trim()

function wordsIn(node: HtmlNode): string {
  if ('value' in node) return node.value
  if (NEVER_TEXT.has(node.nodeName)) return ''
  if (node.nodeName === 'img') return ` ${alternative(node)} `
  const words = childrenOf(node).map(wordsIn).join('')
  return /^(?:br|t[dh])$/.test(node.nodeName) || BLOCKS.has(node.nodeName) ? ` ${words} ` : words
}

const alternative = (node: HtmlNode): string => attributeOf(node, 'alt')?.value ?? ''

/** Opens frames and marks text boxes to keep: DocBook, Sphinx and Asciidoctor give them class names that Readability
 *  drops as link columns. Visits each node once, because a page may have very many boxes.
 *  @returns characters of text, and of links, in the node. */
function prepare(node: HtmlNode, frames: number): { text: number; links: number } {
  if ('value' in node) return { text: node.value.trim().length, links: 0 }
  if ('tagName' in node) openFrame(node, frames)
  if ('attrs' in node) node.attrs.splice(MAX_ATTRIBUTES)
  const inside = node.nodeName === 'iframe' ? frames + 1 : frames
  const children = childrenOf(node).map((child) => ({ child, ...prepare(child, inside) }))
  // Editors of pages put each heading in a box, which reader mode drops for its lack of text.
  const [only, ...others] = children.filter(
    ({ child, text }) => text > 0 || !EMPTY.test(child.nodeName) || childrenOf(child).some((one) => 'tagName' in one),
  )
  const heading = node.nodeName === 'div' && only && others.length === 0 ? only.child : undefined
  if (heading && 'tagName' in heading && /^h[1-6]$/.test(heading.tagName)) {
    const { nodeName, tagName, attrs, childNodes } = heading
    Object.assign(node, { nodeName, tagName, attrs, childNodes })
  }
  const text = children.reduce((sum, one) => sum + one.text, 0)
  const links = node.nodeName === 'a' ? text : children.reduce((sum, one) => sum + one.links, 0)
  for (const { child, ...own } of children) {
    const isProse = own.text >= MIN_BOX_LENGTH && own.links < own.text * MAX_LINK_SHARE && text >= 2 * own.text
    const name = attributeOf(child, 'class')
    if (isProse && name && BOX.test(name.value)) name.value = ''
  }
  return { text, links }
}

function openFrame(node: HtmlElement, frames: number): void {
  const { tagName } = node
  const source =
    tagName === 'iframe' ? attributeOf(node, 'srcdoc')?.value : tagName === 'noframes' ? rawText(node) : undefined
  if (tagName === 'frameset') node.tagName = 'body'
  if (!source || frames >= MAX_FRAME_DEPTH) return
  node.tagName = 'div'
  node.attrs = []
  node.childNodes = parseFragment(source, { scriptingEnabled: false, treeAdapter: limitedTree() }).childNodes
}

const rawText = (node: HtmlElement): string =>
  node.childNodes.map((child) => ('value' in child ? child.value : '')).join('')

class Walker {
  readonly #withoutScripts: boolean
  readonly #headings = new HeadingPath()
  readonly #sections: Section[] = []
  readonly outline: OutlineEntry[] = []
  #blocks: string[] = []
  #line = ''
  #isInRow = false
  /** Goes before the first block of a list item, so that a passage shows the list as one. */
  #mark = ''
  #position = 0

  /** @param withoutScripts Whether `noscript` content is read. */
  constructor(withoutScripts: boolean) {
    this.#withoutScripts = withoutScripts
  }

  walk(node: HtmlNode, isSpaced = false): void {
    if ('value' in node) {
      this.#line += isSpaced ? node.value : node.value.replace(UNSPACED_LINE_END, '').replace(/\s+/g, ' ')
      return
    }
    const name = 'tagName' in node ? node.tagName : node.nodeName
    if (NEVER_TEXT.has(name) && !(name === 'noscript' && this.#withoutScripts)) return
    if (name === 'svg') {
      this.#drawing(node)
      return
    }
    const level = /^h([1-6])$/.exec(name)?.[1]
    const title = level ? wordsOf(node) : ''
    // A longer one is a paragraph in the style of a heading, which a passage's heading would cut.
    if (level && title.length <= MAX_CELL_LENGTH) {
      this.heading(Number(level), title)
      return
    }
    if (name === 'br') this.#line += '\n'
    if (name === 'img') this.#line += ` ${alternative(node)} `
    if (name === 'td' || name === 'th') {
      this.#cell(node)
      return
    }
    const isBlock = level !== undefined || BLOCKS.has(name)
    if (isBlock) this.#endBlock()
    if (name === 'li') this.#mark = '• '
    for (const child of childrenOf(node)) this.walk(child, isSpaced || name === 'pre' || name === 'textarea')
    if (isBlock) this.#endBlock()
    if (name === 'li') this.#mark = ''
  }

  #drawing(node: HtmlNode): void {
    for (const child of childrenOf(node)) {
      if (child.nodeName === 'text' || child.nodeName === 'foreignObject') this.walk(child)
      else this.#drawing(child)
    }
  }

  /** A row becomes one line, to keep it together in passages. Long cells become blocks: tables are used for layout. */
  #cell(node: HtmlNode): void {
    const text = wordsOf(node)
    if (text.length > MAX_CELL_LENGTH) {
      this.#endBlock()
      for (const child of childrenOf(node)) this.walk(child)
      this.#endBlock()
    } else if (text) {
      this.#line += this.#isInRow ? ` | ${text}` : ` ${text}`
      this.#isInRow = true
    }
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
    this.#isInRow = false
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
