import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import { type Extraction, HeadingPath, type Section, Unreadable } from './extraction.ts'

/** As much of the DOM as is read here; the functions' runtime has no types for it. */
type HtmlNode = {
  readonly nodeType: number
  readonly nodeName: string
  readonly textContent: string | null
  readonly childNodes: Iterable<HtmlNode>
}

const NEVER_TEXT = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'SVG', 'IFRAME', 'OBJECT', 'HEAD'])
const BLOCKS = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE DD DIV DL DT FIGCAPTION FIGURE FOOTER FORM HEADER HR LI MAIN NAV OL P PRE SECTION TABLE TR UL'.split(
    ' ',
  ),
)
/** Deeper than any page that people wrote; deeper still only ends in a stack overflow. */
const DEEPEST = 500

/** The readable part of a web page (what a reader mode shows), or the whole body where no such part stands out.
 *  Nothing of the page runs. Offsets are into the readable text, blocks parted by an empty line.
 *  @throws {Unreadable} when the page holds no text. */
export function extractHtml(source: string): Extraction {
  const walker = new Walker()
  // Readability rewrites the tree it is given, so the fallback below gets one of its own.
  const article = new Readability(parse(source) as never, { charThreshold: 200, maxElemsToParse: 100_000 }).parse()
  if (article?.title) walker.heading(1, article.title)
  walker.walk(parse(article?.content ?? source).body, 0)
  const sections = walker.finish()
  if (sections.length === 0) {
    throw new Unreadable(
      'There is no text in this page. If it builds itself with scripts, print it to PDF and upload that.',
    )
  }
  return { sections, mimeType: 'text/html', pages: null }
}

function parse(source: string): { body: HtmlNode } {
  const page = /<html[\s>]/i.test(source) ? source : `<html><body>${source}</body></html>`
  return (parseHTML(page) as unknown as { document: { body: HtmlNode } }).document
}

/** Collects blocks of text under their headings. */
class Walker {
  readonly #headings = new HeadingPath()
  readonly #sections: Section[] = []
  #blocks: string[] = []
  #line = ''
  #position = 0

  walk(node: HtmlNode, depth: number): void {
    if (depth > DEEPEST) return
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
    if (name === 'TD' || name === 'TH') this.#line += ' '
    if (BLOCKS.has(name)) this.#endBlock()
    for (const child of node.childNodes) this.walk(child, depth + 1)
    if (BLOCKS.has(name)) this.#endBlock()
  }

  heading(level: number, text: string): void {
    this.#endSection()
    this.#headings.enter(level, text)
  }

  finish(): Section[] {
    this.#endSection()
    return this.#sections
  }

  #endBlock(): void {
    const text = this.#line
      .replace(/[^\S\n]+/g, ' ')
      .replace(/ ?\n ?/g, '\n')
      .trim()
    if (text) this.#blocks.push(text)
    this.#line = ''
  }

  #endSection(): void {
    this.#endBlock()
    if (this.#blocks.length === 0) return
    const text = this.#blocks.join('\n\n')
    this.#sections.push({ page: null, heading: this.#headings.path, text, start: this.#position })
    this.#position += text.length + 2
    this.#blocks = []
  }
}
