import { chooseTitle } from './about.ts'
import { type Extraction, escaped } from './extraction.ts'
import { extractionOf } from './html.ts'
import { besideHtml, mainPart, referredParts, relationsOf } from './office-parts.ts'
import { all, alternativeText, childrenOf, find, officeProperties, parseXml, type Xml } from './xml.ts'
import type { Zip } from './zip.ts'

const DAMAGED = 'pptx_damaged'
const TITLE = /^(?:title|ctrTitle)$/
/** Placeholders repeated on every slide: each text counts once. */
const REPEATED = /^(?:dt|ftr|sldNum)$/

/** Converts a presentation (ECMA-376, PresentationML) to one section per slide under its title, with speaker notes and
 *  a readable copy.
 *  @throws {Unreadable} if it's damaged, malicious or contains no text. */
export function extractPptx(archive: Zip): Extraction {
  const slides = referredParts(archive, mainPart(archive, 'ppt/presentation.xml', DAMAGED), 'p:sldId', DAMAGED)
  const repeated = new Set<string>()
  const html = slides.map((path, index) => slideHtml(archive, path, index + 1, repeated)).join('\n')
  const extraction = extractionOf('pptx', html, 'slides_without_text')
  const about = officeProperties(archive)
  // The first slide's title is usually the presentation's.
  return { ...extraction, about: { ...about, title: about.title ?? chooseTitle(extraction.outline?.[0]?.title) } }
}

function slideHtml(archive: Zip, path: string, number: number, repeated: Set<string>): string {
  const slide = parseXml(archive.text(path), DAMAGED)
  let title = ''
  let body = ''
  for (const shape of shapes(slide)) {
    const type = find(shape, 'p:ph')?.getAttribute('type') ?? ''
    if (TITLE.test(type) && title === '') title = plain(shape)
    else if (shape.nodeName === 'a:tbl') body += table(shape)
    else if (shape.nodeName === 'p:cNvPr') body += `<p>${escaped(alternativeText(shape))}</p>\n`
    else if (REPEATED.test(type)) {
      if (!repeated.has(plain(shape)) && type !== 'sldNum') body += paragraphs(shape, false)
      repeated.add(plain(shape))
    } else body += paragraphs(shape, find(shape, 'p:ph') !== undefined && type !== 'subTitle')
  }
  body += besideHtml(archive, path, DAMAGED) + notesHtml(archive, path)
  const heading = title || (body && `Slide ${number}`)
  return `<section>${heading && `<h2>${escaped(heading)}</h2>\n`}${body}</section>`
}

function* shapes(node: Xml): Generator<Xml> {
  for (const child of node.children) {
    if (/^(?:p:sp|p:cxnSp|a:tbl)$/.test(child.nodeName) || (child.nodeName === 'p:cNvPr' && alternativeText(child)))
      yield child
    else yield* shapes(child)
  }
}

function notesHtml(archive: Zip, slidePath: string): string {
  const path = relationsOf(archive, slidePath, DAMAGED).find(({ type }) => type === 'notesSlide')?.path
  const source = path && archive.text(path)
  if (!source) return ''
  const bodies = [...all(parseXml(source, DAMAGED), 'p:sp')].filter(
    (shape) => find(shape, 'p:ph')?.getAttribute('type') === 'body',
  )
  return bodies.map((shape) => paragraphs(shape, false)).join('')
}

/** @param isList Whether paragraphs are list items unless they have no bullet, as in a slide's body. */
function paragraphs(shape: Xml, isList: boolean): string {
  let html = ''
  let inList = false
  for (const paragraph of all(shape, 'a:p')) {
    const text = runs(paragraph).trim()
    if (text === '') continue
    const isItem = isList && find(paragraph, 'a:buNone') === undefined
    if (isItem !== inList) html += isItem ? '<ul>' : '</ul>'
    inList = isItem
    html += isItem ? `<li>${text}</li>\n` : `<p>${text}</p>\n`
  }
  return inList ? `${html}</ul>` : html
}

function table(node: Xml): string {
  const rows = childrenOf(node, 'a:tr').map((row) =>
    childrenOf(row, 'a:tc')
      .map((cell) => `<td>${escaped(plain(cell))}</td>`)
      .join(''),
  )
  return `<table>${rows.map((row) => `<tr>${row}</tr>`).join('\n')}</table>\n`
}

const plain = (shape: Xml): string =>
  [...all(shape, 'a:p')]
    .map((paragraph) => texts(paragraph).join(''))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim()

const runs = (paragraph: Xml): string =>
  paragraph.children.map((node) => (node.nodeName === 'a:br' ? '<br>' : escaped(texts(node).join('')))).join('')

function texts(node: Xml): string[] {
  return node.children.flatMap((child) => {
    if (child.nodeName === 'a:t' || child.nodeName === 'm:t') return [child.textContent]
    if (child.nodeName === 'a:br') return [' ']
    return texts(child)
  })
}
