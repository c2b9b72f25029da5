import { DOMParser } from 'linkedom'
import { Unreadable, type UnreadableCode } from '../errors.ts'
import { type About, chooseAuthor, chooseTitle, dayOf } from './about.ts'
import type { Zip } from './zip.ts'

/** The parts of a parsed XML file that are used here. Names keep their prefix, which all programs set to the same. */
export type Xml = {
  readonly nodeType: number
  readonly nodeName: string
  readonly textContent: string | null
  readonly children: Iterable<Xml>
  readonly childNodes: Iterable<Xml>
  getAttribute(name: string): string | null
}

/** Deeper than any document of a person. The parser's time grows with the square of the depth. */
const DEEPEST = 500

/** @param damaged The code for a file that is missing or nested too deeply.
 *  @throws {Unreadable} with that code. Entities of the file's own are not expanded. */
export function parseXml(source: string | undefined, damaged: UnreadableCode): Xml {
  if (!source || depthOf(source) > DEEPEST) throw new Unreadable(damaged)
  return new DOMParser().parseFromString(source, 'text/xml') as unknown as Xml
}

/** The deepest nesting of elements, in time that grows with the length only. */
function depthOf(source: string): number {
  let depth = 0
  let deepest = 0
  let at = source.indexOf('<')
  while (at !== -1) {
    const end = endOfMarkup(source, at)
    const sign = source[at + 1]
    if (sign === '/') depth -= 1
    else if (sign !== '!' && sign !== '?' && source[end - 1] !== '/') deepest = Math.max(deepest, ++depth)
    at = source.indexOf('<', end)
  }
  return deepest
}

/** The position of the sign that ends the tag, comment, section or declaration at a position. */
function endOfMarkup(source: string, at: number): number {
  const find = (text: string) => {
    const found = source.indexOf(text, at)
    return found === -1 ? source.length : found + text.length - 1
  }
  if (source.startsWith('<!--', at)) return find('-->')
  if (source.startsWith('<![CDATA[', at)) return find(']]>')
  if (source.startsWith('<?', at)) return find('?>')
  let quote = ''
  for (let position = at + 1; position < source.length; position++) {
    const sign = source[position] ?? ''
    if (quote !== '') quote = sign === quote ? '' : quote
    else if (sign === '"' || sign === "'") quote = sign
    else if (sign === '>') return position
  }
  return source.length
}

export const childrenOf = (node: Xml, name: string): Xml[] =>
  [...node.children].filter(({ nodeName }) => nodeName === name)

/** All elements with this name, at any depth. */
export function* all(node: Xml, name: string): Generator<Xml> {
  for (const child of node.children) {
    if (child.nodeName === name) yield child
    yield* all(child, name)
  }
}

/** The first of them. */
export const find = (node: Xml, name: string): Xml | undefined => all(node, name).next().value ?? undefined

/** What an Office Open XML file says about itself (docProps/core.xml). */
export function officeProperties(archive: Zip): Partial<About> {
  return propertiesOf(archive.text('docProps/core.xml'), 'dcterms:created')
}

/** Dublin Core's properties, in files of several formats.
 *  @param dateName The element of the date. */
export function propertiesOf(source: string | undefined, dateName: string): Partial<About> {
  if (!source || depthOf(source) > DEEPEST) return {}
  const root = parseXml(source, 'archive_damaged')
  const textOf = (name: string) => find(root, name)?.textContent
  return {
    title: chooseTitle(textOf('dc:title')),
    author: chooseAuthor(...[...all(root, 'dc:creator')].map(({ textContent }) => textContent)),
    dated: dayOf(textOf(dateName)),
  }
}

/** An element's value in WordprocessingML. */
export const valOf = (node: Xml | undefined): string | null => node?.getAttribute('w:val') ?? null
