import type { PlainUnreadableCode } from '../errors.ts'
import { escaped } from './extraction.ts'
import { all, alternativeText, parseXml, type Xml } from './xml.ts'
import type { Zip } from './zip.ts'

/** A relationship of an Office Open XML part (ECMA-376 part 2). */
type Relation = {
  readonly id: string
  readonly type: string
  readonly path: string
}

export function relationsOf(archive: Zip, part: string, damaged: PlainUnreadableCode): Relation[] {
  const slash = part.lastIndexOf('/')
  const list = archive.text(`${part.slice(0, slash + 1)}_rels/${part.slice(slash + 1)}.rels`)
  if (!list) return []
  return [...all(parseXml(list, damaged), 'Relationship')].flatMap((relation) => {
    const target = relation.getAttribute('Target')
    if (!target || relation.getAttribute('TargetMode') === 'External') return []
    // Without a type, infer it from the target's usual name.
    const type = (relation.getAttribute('Type') ?? target).replace(/^.*\/|\d*\.xml$/g, '')
    return [{ id: relation.getAttribute('Id') ?? '', type, path: resolved(part, target) }]
  })
}

/** Returns the path of the main part (document, presentation or workbook), which may not have the usual name. */
export const mainPart = (archive: Zip, usual: string, damaged: PlainUnreadableCode): string =>
  relationsOf(archive, '', damaged).find(({ type, path }) => type === 'officeDocument' && archive.has(path))?.path ??
  usual

/** Returns the paths of the parts that a part's elements refer to, in order.
 *  @param reference The elements whose `r:id` names a part (`p:sldId`, `sheet`). */
export function referredParts(archive: Zip, part: string, reference: string, damaged: PlainUnreadableCode): string[] {
  const paths = new Map(relationsOf(archive, part, damaged).map(({ id, path }) => [id, path]))
  return [...all(parseXml(archive.text(part), damaged), reference)].flatMap(
    (element) => paths.get(element.getAttribute('r:id') ?? '') ?? [],
  )
}

/** Related parts whose text is shown: diagrams, charts, drawings with text boxes, comments. */
const BESIDE = /^(?:diagramData|chart|chartEx|chartUserShapes|drawing|comments|threadedComment)$/
/** Elements of those parts whose content is one text. */
const TEXTS = new Set(['a:p', 'comment', 'threadedComment', 'p:text', 'c:v'])
const NEVER_TEXT = new Set(['c:numCache', 'rPh', 'a:fld'])

/** Renders the texts shown next to a part as paragraphs, without duplicates. */
export function besideHtml(archive: Zip, part: string, damaged: PlainUnreadableCode): string {
  const found = new Set<string>()
  const read = (from: string, depth: number) => {
    for (const { type, path } of relationsOf(archive, from, damaged)) {
      if (!BESIDE.test(type) || depth > 3) continue
      const source = archive.text(path)
      if (source) for (const text of textsBeside(parseXml(source, damaged))) found.add(text)
      read(path, depth + 1)
    }
  }
  read(part, 0)
  return [...found].map((text) => `<p>${escaped(text)}</p>\n`).join('')
}

/** Leaves out what Excel writes for older versions in place of a threaded comment: a notice with a copy of its text. */
function textsBeside(root: Xml): Iterable<string> {
  const authors = [...all(root, 'author')].map(({ textContent }) => textContent)
  return textsIn(root, (node) => authors[Number(node.getAttribute('authorId') ?? -1)]?.startsWith('tc=') === true)
}

function* textsIn(node: Xml, isCopy: (node: Xml) => boolean): Generator<string> {
  for (const child of node.childNodes) {
    if (NEVER_TEXT.has(child.nodeName) || isCopy(child)) continue
    if (child.nodeName.endsWith(':cNvPr') && alternativeText(child)) yield alternativeText(child)
    if (!TEXTS.has(child.nodeName)) {
      yield* textsIn(child, isCopy)
      continue
    }
    const text = child.textContent.replace(/\s+/g, ' ').trim()
    if (text) yield text
  }
}

/** Resolves a path relative to a part. One that leaves the archive names no entry. */
export function resolved(from: string, target: string): string {
  try {
    return decodeURIComponent(new URL(target, new URL(from, 'zip://part/')).pathname.slice(1))
  } catch {
    return ''
  }
}
