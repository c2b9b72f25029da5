import { XMLParser } from 'fast-xml-parser'
import { storageError } from '../errors.ts'

/** A document as data: text, numbers and flags are leaves, a list repeats its element, undefined is omitted. */
export type XmlValue = string | number | boolean | Date | undefined | XmlNode | readonly XmlValue[]
export type XmlNode = { readonly [name: string]: XmlValue }

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/'

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'

/** Renders a document with one root in S3's namespace. */
export const toXml = (root: string, content: XmlValue): string =>
  DECLARATION + element(root, content, ` xmlns="${NAMESPACE}"`)

/** Renders an error without a namespace, like S3: aws-cli and boto3 find no code in an error with one. */
export const errorToXml = (content: XmlNode): string => DECLARATION + element('Error', content)

function element(name: string, value: XmlValue, attributes = ''): string {
  if (value === undefined) return ''
  if (Array.isArray(value)) return value.map((one: XmlValue) => element(name, one)).join('')
  const inner = isNode(value)
    ? Object.entries(value)
        .map(([child, content]) => element(child, content))
        .join('')
    : escapeText(value instanceof Date ? value.toISOString() : String(value))
  return inner === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${inner}</${name}>`
}

const isNode = (value: XmlValue): value is XmlNode =>
  typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date)

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#xD;' }
/** Includes what XML 1.0 can't represent, which becomes the replacement character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are the characters meant
const TO_ESCAPE = /[&<>\r]|[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g

const escapeText = (text: string): string =>
  text.toWellFormed().replace(TO_ESCAPE, (character) => ESCAPES[character] ?? '\uFFFD')

const ENTITY = /&([^;&]*);|&/g
const NAMED = new Map(Object.entries({ amp: '&', apos: "'", gt: '>', lt: '<', quot: '"' }))

const parser = new XMLParser({
  ignoreDeclaration: true,
  ignorePiTags: true,
  ignoreAttributes: true,
  // Keep keys that look like numbers or consist of spaces.
  parseTagValue: false,
  trimValues: false,
  processEntities: false,
  maxNestedTags: 10,
  isArray: (name) => name === 'Object' || name === 'Part',
  tagValueProcessor: (_name, text) => text.replace(ENTITY, (_match, name: string | undefined) => decode(name)),
})

/** Parses a document into plain data, refusing document types and entities other than XML's five.
 *  @throws {StorageError} MalformedXML */
export function fromXml(text: string): unknown {
  try {
    if (text.includes('<!DOCTYPE')) throw new Error('DOCTYPE is not supported')
    return parser.parse(text.startsWith('\uFEFF') ? text.slice(1) : text, true)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw storageError('MalformedXML', { message: `Invalid XML payload: ${reason}`, cause: error })
  }
}

function decode(name: string | undefined): string {
  const character = name === undefined ? undefined : NAMED.get(name)
  if (character !== undefined) return character
  const [, hex, decimal] = /^#(?:x([\dA-F]{1,6})|(\d{1,7}))$/i.exec(name ?? '') ?? []
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  const valid = code === 9 || code === 10 || code === 13 || (code >= 32 && code <= 0x10ffff)
  if (!valid || (code >= 0xd800 && code <= 0xdfff)) throw new Error('Undeclared XML entity')
  return String.fromCodePoint(code)
}
