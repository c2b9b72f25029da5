import { Unreadable } from '../errors.ts'
import { chooseTitle } from './about.ts'
import { decodeDeclared, decoded } from './charset.ts'
import { type Extraction, escaped } from './extraction.ts'
import { textOfHtml } from './html.ts'
import { readableMarkdown } from './markdown.ts'
import { extractOpenDocument } from './odt.ts'
import { parseXml, type Xml } from './xml.ts'

/** Converts the readable content of calendars and contacts (RFC 5545, RFC 6350), Jupyter notebooks, feeds and other
 *  XML, with a readable copy.
 *  @returns null for other or damaged text, which is read as plain text. */
export function extractStructured(source: string): Extraction | null {
  const html = htmlOf(source.trimStart())
  if (typeof html === 'object') return html
  if (!html) return null
  const { sections, outline } = textOfHtml(html)
  if (sections.length === 0) return null
  return { sections, mimeType: 'text/plain', pages: null, rendition: html, outline }
}

function htmlOf(source: string): string | Extraction | null {
  try {
    if (/<office:document[\s>]/.test(source.slice(0, 1000))) return extractOpenDocument(source)
    if (/^(?:WEBVTT\b|(?:\d+\s+)?[\d:]+[.,]\d{3} --> )/.test(source)) return cuesHtml(source)
    if (/^BEGIN:V[A-Z]+\s/i.test(source)) return cardsHtml(source)
    if (source.startsWith('{') && source.includes('"nbformat"')) return notebookHtml(source)
    // XML settings files may have no text at all.
    return XML.test(source) ? xmlHtml(parseXml(source, 'page_too_deep'), 1) : null
  } catch (error) {
    if (error instanceof Unreadable ? error.problem.code !== 'too_many_cells' : error instanceof SyntaxError)
      return null
    throw error
  }
}

/** A declaration, or one element that isn't part of a page or component, after comments and declarations. */
const XML =
  /^(?:<\?xml\b|(?:<!--(?:(?!-->)[\s\S])*-->\s*|<![a-z][^>]*>\s*)*<(?!(?:script|style|template)\b)([a-z][\w.:-]*)[\s>][\s\S]*<\/\1>\s*$)/i

/** A line of times in subtitles (SubRip, WebVTT), optionally below a number or name. */
const CUE = /^(?:[^\n]*\r?\n)?[ \t]*(?:\d+:)?\d\d:\d\d[.,]\d{3} --> [^\n]*$/m

const cuesHtml = (source: string): string =>
  source
    .replace(/^WEBVTT[^\n]*/, '')
    .split(/\r?\n\s*\r?\n/)
    .filter((cue) => CUE.test(cue))
    .map((cue) => `<p>${escaped(cue.replace(CUE, '').replace(/<[^<>]*>|\{[^{}]*\}/g, ''))}</p>\n`)
    .join('')
    .replace(/&amp;(#?\w{2,8};)/g, '&$1')

const TECHNICAL =
  /^(?:BEGIN|END|VERSION|PRODID|UID|DTSTAMP|SEQUENCE|CALSCALE|METHOD|REV|N|TZ.*|X-.*|PHOTO|LOGO|KEY|RRULE|TRIGGER|CREATED|LAST-MODIFIED)$/
const HEADINGS = new Set(['SUMMARY', 'FN', 'N', 'X-WR-CALNAME'])

function cardsHtml(source: string): string {
  const lines = source
    .replace(/\r?\n[ \t]/g, '')
    .replace(/=\r?\n(?![\w.-]+[;:])/g, '')
    .split(/\r?\n/)
  const cards: { title: string; facts: string[] }[] = []
  for (const line of lines) {
    const [, name = '', parameters = '', value = ''] =
      /^(?:[\w-]+\.)?([\w-]+)((?:;(?:"[^"]*"|[^":])*)?):(.*)$/.exec(line) ?? []
    const property = name.toUpperCase()
    if (property === 'BEGIN') cards.push({ title: '', facts: [] })
    const card = cards.at(-1)
    const person = /;CN=("[^"]*"|[^;:]*)/i.exec(parameters)?.[1]?.replaceAll('"', '')
    const text = [person, sayingOf(value, parameters)].filter(Boolean).join(' ')
    if (!card || !text) continue
    // Older contacts have the parts of a name only.
    if (HEADINGS.has(property) && (!card.title || property === 'FN')) card.title = text
    else if (!TECHNICAL.test(property)) card.facts.push(`${named(property)}: ${text}`)
  }
  return cards
    .filter(({ title, facts }) => title || facts.length > 0)
    .map(({ title, facts }) => `${title && `<h2>${escaped(title)}</h2>`}<p>${facts.map(escaped).join('<br>')}</p>`)
    .join('\n')
}

const named = (property: string): string => `${property.charAt(0)}${property.slice(1).toLowerCase()}`

function sayingOf(value: string, parameters: string): string {
  if (/;ENCODING=(?:BASE64|B)\b/i.test(parameters)) return ''
  const plain = /QUOTED-PRINTABLE/i.test(parameters) ? decodedOf(value, parameters) : value
  const day = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})\d{2}Z?)?$/.exec(plain)
  if (day) return `${day.slice(1, 4).join('-')}${day[4] ? ` ${day[4]}:${day[5]}` : ''}`
  return plain
    .split(/(?<!\\);+/)
    .filter((part) => part !== '')
    .join(', ')
    .replace(/\\(.)/g, (_, sign: string) => (/n/i.test(sign) ? ' ' : sign))
    .replace(/^(?:mailto|tel):/i, '')
    .trim()
}

function decodedOf(value: string, parameters: string): string {
  const text = value.replace(/=([0-9A-F]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  const bytes = Uint8Array.from(text, (sign) => sign.charCodeAt(0))
  const [, label = ''] = /;CHARSET=([\w-]+)/i.exec(parameters) ?? []
  return decoded(bytes, label) ?? decodeDeclared(bytes) ?? text
}

type Output = { text?: unknown; evalue?: unknown; data?: Record<string, unknown> }
type Cells = { cell_type?: unknown; source?: unknown; input?: unknown; outputs?: Output[] }[]
/** Before version 4, cells were in worksheets, and a code cell had an input. */
type Notebook = { cells?: Cells; worksheets?: { cells?: Cells }[] }

function notebookHtml(source: string): string {
  const { worksheets = [], cells = worksheets.flatMap(({ cells = [] }) => cells) }: Notebook = JSON.parse(source)
  const textOf = (value: unknown) => (Array.isArray(value) ? value.join('') : typeof value === 'string' ? value : '')
  const code = (text: string) => text && `<pre>${escaped(text)}</pre>`
  return cells
    .map(({ cell_type, input, source = input, outputs = [] }) =>
      cell_type === 'markdown' || cell_type === 'heading'
        ? textOf(source).split('\n').map(markdownLine).join('\n')
        : [textOf(source), ...outputs.map(({ text, evalue, data }) => textOf(text ?? evalue ?? data?.['text/plain']))]
            .map(code)
            .join('\n'),
    )
    .join('\n')
}

function markdownLine(line: string): string {
  const level = /^#{1,6}(?= )/.exec(line)?.[0].length
  const text = escaped(readableMarkdown(line.replace(/^#+ /, '')))
  return level ? `<h${level}>${text}</h${level}>` : text ? `<p>${text}</p>` : ''
}

/** Elements whose parts are one text: paragraphs and rows of Office documents in a single file. */
const WHOLE: Readonly<Record<string, readonly [part: string, between: string]>> = {
  'w:p': ['w:t', ''],
  'a:p': ['a:t', ''],
  Row: ['Data', ' | '],
}

const partsIn = (node: Xml, part: string): string[] =>
  node.children.flatMap((child) => {
    if (child.nodeName === part) return child.textContent
    return /:(?:tab|br)$/.test(child.nodeName) ? ' ' : partsIn(child, part)
  })

/** Attributes that name what an element is about, and those with technical values. */
const [NAMES, ADDRESSES] = [
  /^(?:text|title|name|label|value)$/i,
  /:|^(?:id|class|style|type|href|src|lang|version|xmlns)$/i,
]

/** Returns the attributes' values that say something: a name, prose, and what is next to them. */
function sayingIn({ nodeName, attributes }: Xml): string {
  const all = Object.entries(attributes).filter(
    ([name, value]) => !ADDRESSES.test(name) && /[\p{L}\p{N}]/u.test(value) && !/^\S*:\/\/\S*$/.test(value),
  )
  const says = all.some(([name, value]) => NAMES.test(name) || /\p{L}\s+\p{L}/u.test(value))
  return says && !nodeName.includes(':') ? [...new Set(all.map(([, value]) => value.trim()))].join(' ') : ''
}

/** Renders element texts as paragraphs; a title becomes the heading of its siblings. Feed entries may contain HTML. */
function xmlHtml(node: Xml, level: number): string {
  const [part, between] = WHOLE[node.nodeName] ?? []
  if (part) return `<p>${escaped(partsIn(node, part).join(between))}</p>`
  const children = node.children.filter(
    (child) => !/^(?:pkg:)?binary(?:Data)?$/.test(child.nodeName) && child.getAttribute('encoding') !== 'base64',
  )
  const saying = sayingIn(node)
  if (children.length === 0) {
    const text = (node.children.length === 0 && node.textContent.trim()) || saying
    return /<[a-z][^<>]*>/i.test(text) ? `<div>${text}</div>` : text && `<p>${escaped(text)}</p>`
  }
  const title = children.find(({ nodeName }) => /^(?:[\w.-]+:)?(?:(?:book-)?title|headline|name)$/i.test(nodeName))
  // Lists of feeds (OPML) have their texts in attributes.
  const heading = title ? chooseTitle(title.textContent) : saying
  const others = heading ? children.filter((child) => child !== title) : children
  const isMixed = node.childNodes.some((child) => child.nodeType === 3 && child.textContent.trim())
  if (isMixed) return `<p>${escaped(node.textContent ?? '')}</p>`
  const body = others.map((child) => xmlHtml(child, Math.min(6, level + (heading ? 1 : 0)))).join('\n')
  return heading ? `<h${level}>${escaped(heading)}</h${level}>\n${body}` : body
}
