import { Parser } from 'htmlparser2'
import { type PlainUnreadableCode, Unreadable } from '../errors.ts'
import { type About, chooseAuthor, chooseTitle, dayOf } from './about.ts'
import type { Zip } from './zip.ts'

export class Xml {
  readonly nodeName: string
  readonly childNodes: Xml[] = []
  readonly attributes: Readonly<Record<string, string>>
  #text: string

  constructor(nodeName: string, attributes: Readonly<Record<string, string>> = {}, text = '') {
    this.nodeName = nodeName
    this.attributes = attributes
    this.#text = text
  }

  /** 1 for an element, 3 for text. */
  get nodeType(): number {
    return this.nodeName === '' ? 3 : 1
  }

  get children(): Xml[] {
    return this.childNodes.filter(({ nodeName }) => nodeName !== '')
  }

  get textContent(): string {
    return this.#text + this.childNodes.map(({ textContent }) => textContent).join('')
  }

  getAttribute(name: string): string | null {
    return this.attributes[name] ?? null
  }
}

const MAX_DEPTH = 500
/** Canonical prefixes by namespace, whichever prefix a file uses. ISO 29500 strict has other namespaces than ECMA-376.
 *  For other namespaces, the file's own prefix is kept. */
const PREFIXES: readonly (readonly [RegExp, string])[] = [
  [/[/]wordprocessingml[/](?:2006[/])?main$/, 'w:'],
  [/[/]presentationml[/](?:2006[/])?main$/, 'p:'],
  [/[/]drawingml[/](?:2006[/])?main$/, 'a:'],
  [/[/]drawingml[/](?:2006[/])?chart$/, 'c:'],
  [/[/]drawingml[/](?:2006[/])?diagram$/, 'dgm:'],
  [/[/]officeDocument[/](?:2006[/])?math$/, 'm:'],
  [/[/]officeDocument[/](?:2006[/])?relationships$/, 'r:'],
  [/[/]markup-compatibility[/]2006$/, 'mc:'],
  [/[/]spreadsheetml[/](?:2006[/])?main$|[/]package[/]2006[/]|idpf.org[/]2007[/]opf$|xmlns:container$/, ''],
]

/** @param damaged The error code for a file that is missing or nested too deeply.
 *  @throws {Unreadable} with that code. Custom entities aren't expanded. */
export function parseXml(source: string | undefined, damaged: PlainUnreadableCode): Xml {
  if (!source) throw new Unreadable(damaged)
  const root = new Xml('#document')
  const open: { readonly element: Xml; readonly prefixes: Prefixes }[] = [{ element: root, prefixes: {} }]
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        const parent = open.at(-1)
        const prefixes = declared(attributes, parent?.prefixes ?? {})
        const named = Object.entries(attributes).map(([attribute, value]) => [
          attribute.includes(':') ? nameIn(prefixes, attribute) : attribute,
          value,
        ])
        const element = new Xml(nameIn(prefixes, name), Object.fromEntries(named))
        parent?.element.childNodes.push(element)
        open.push({ element, prefixes })
        if (open.length > MAX_DEPTH) parser.reset()
      },
      ontext: (text) => open.at(-1)?.element.childNodes.push(new Xml('', {}, text)),
      onclosetag: () => {
        const closed = open.pop()?.element
        if (closed?.nodeName === 'mc:AlternateContent') keepOne(closed)
      },
    },
    { xmlMode: true },
  )
  parser.end(source)
  if (open.length > MAX_DEPTH) throw new Unreadable(damaged)
  return root
}

/** Of content for newer and older programs (ECMA-376, part 3), keeps the first with text, so that each is read once. */
function keepOne({ childNodes }: Xml): void {
  const chosen = childNodes.find(hasText) ?? childNodes[0]
  childNodes.splice(0, childNodes.length, ...(chosen ? [chosen] : []))
}

const hasText = (node: Xml): boolean =>
  node.nodeType === 3 ? node.textContent.trim() !== '' : node.childNodes.some(hasText)

type Prefixes = Readonly<Record<string, string>>

function declared(attributes: Readonly<Record<string, string>>, around: Prefixes): Prefixes {
  const own = Object.entries(attributes).flatMap(([attribute, namespace]) => {
    const [, , prefix = ''] = /^xmlns(:(.+))?$/.exec(attribute) ?? []
    if (!attribute.startsWith('xmlns')) return []
    const known = PREFIXES.find(([pattern]) => pattern.test(namespace))?.[1]
    return [[prefix, known ?? (prefix && `${prefix}:`)]]
  })
  return own.length > 0 ? Object.assign(Object.create(around), Object.fromEntries(own)) : around
}

function nameIn(prefixes: Prefixes, name: string): string {
  const colon = name.indexOf(':')
  const prefix = prefixes[name.slice(0, Math.max(0, colon))]
  return prefix === undefined ? name : prefix + name.slice(colon + 1)
}

export const childrenOf = (node: Xml, name: string): Xml[] =>
  node.childNodes.filter(({ nodeName }) => nodeName === name)

/** Yields the outermost elements of a name: what is inside them is part of their text. */
export function* all(node: Xml, name: string): Generator<Xml> {
  for (const child of node.childNodes) {
    if (child.nodeName === name) yield child
    else yield* all(child, name)
  }
}

export const find = (node: Xml, name: string): Xml | undefined => all(node, name).next().value ?? undefined

/** Returns an Office Open XML file's metadata (docProps/core.xml). */
export function officeProperties(archive: Zip): Partial<About> {
  return propertiesOf(archive.text('docProps/core.xml'), 'dcterms:created')
}

/** Reads Dublin Core metadata, which several formats use. @param dateName The element of the date. */
export function propertiesOf(source: string | undefined, dateName: string): Partial<About> {
  if (!source) return {}
  const root = parseXml(source, 'archive_damaged')
  const textOf = (name: string) => find(root, name)?.textContent
  return {
    title: chooseTitle(textOf('dc:title')),
    // In OpenDocument, `dc:creator` is who changed it last.
    author:
      chooseAuthor(textOf('meta:initial-creator')) ??
      chooseAuthor(...[...all(root, 'dc:creator')].map(({ textContent }) => textContent)),
    dated: dayOf(textOf(dateName)),
  }
}

/** Returns what an author says in place of a picture; nothing for the file name that programs put there. */
export function alternativeText(properties: Xml): string {
  const text = properties.getAttribute('descr')?.trim() ?? ''
  return /^\S+\.\w{2,4}$|[\\/]\S+\.\w{2,4}$/.test(text) ? '' : text
}

export const valOf = (node: Xml | undefined): string | null => node?.getAttribute('w:val') ?? null
