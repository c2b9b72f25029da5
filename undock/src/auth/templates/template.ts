import { evaluate, isTruthy, type Pipeline, parsePipeline, type Scope, TemplateError } from './expression.ts'

const URL_ATTRIBUTE = /^(?:href|src|action|formaction|background|poster|cite)$/i

/** Escapes a value for its context, like html/template: markup in text and attributes, and in URL attributes also the
 *  URL's own characters (a part after `?` or `#` may not start a new one) and script schemes.
 *  @param before All that's written before the value. */
function escapeFor(before: string, value: unknown): string {
  const text = plain(value)
  const attribute = openAttribute(before)
  if (attribute === null) return escapeHtml(text)
  // In an unquoted attribute a blank would end the value and start another attribute.
  if (!attribute.isQuoted && !URL_ATTRIBUTE.test(attribute.name)) {
    return escapeHtml(text).replace(/[\s=`]/g, (character) => `&#${character.charCodeAt(0)};`)
  }
  if (!URL_ATTRIBUTE.test(attribute.name)) return escapeHtml(text)
  if (/[?#]/.test(attribute.value)) return escapeHtml(encodeURIComponent(text))
  const isStart = attribute.value.trim() === ''
  if (isStart && /^[^/?#]*:/.test(text) && !/^(?:https?|mailto|tel):/i.test(text) && !isAppScheme(text))
    return '#ZgotmplZ'
  return escapeHtml(normalizeUrl(text))
}

/** Redirects of native clients are links into an app (`com.example://…`). */
function isAppScheme(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && !/^(?:javascript|vbscript|data):/i.test(text)
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
  '\0': '\ufffd',
}

const escapeHtml = (text: string): string => text.replace(/[&<>"'\0]/g, (character) => ENTITIES[character] ?? '')

/** Percent-encodes what's not allowed in a URL, leaving what's already encoded. */
const normalizeUrl = (text: string): string =>
  text.replace(/[^\w.~!*'();:@&=+$,/?#[\]%-]/gu, (character) => encodeURIComponent(character.toWellFormed()))

function openAttribute(before: string): { name: string; value: string; isQuoted: boolean } | null {
  const tag = /<[a-z][^\s>/]*((?:[^>"']|"[^"]*"|'[^']*')*(?:"[^"]*|'[^']*)?)$/i.exec(
    before.slice(before.lastIndexOf('<')),
  )
  const open = tag && /([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)|'([^']*)|([^\s"'>]*))$/.exec(tag[1] ?? '')
  if (!open) return null
  const quoted = open[2] ?? open[3]
  return { name: open[1] ?? '', value: quoted ?? open[4] ?? '', isQuoted: quoted !== undefined }
}

/** A project's mail template: the part of Go's html/template that mails use. Actions are `{{ .Field.sub }}`, `{{ if }}
 *  {{ else if }} {{ else }} {{ end }}`, `{{ range }}`, `{{ with }}`, comments, `{{-` and `-}}`, pipelines and the
 *  functions of expression.ts. Values are escaped for their context. */
export type Template = (data: Readonly<Record<string, unknown>>) => string

type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly pipeline: Pipeline }
  | {
      readonly kind: 'if' | 'with' | 'range'
      readonly pipeline: Pipeline
      readonly then: Node[]
      readonly other: Node[]
    }

/** @throws {TemplateError} naming the invalid action */
export function compileTemplate(source: string): Template {
  const tokens = tokenize(source)
  const nodes = parseBlock(tokens, [])
  const [stray] = tokens
  if (stray) throw new TemplateError(`unexpected {{${stray.text}}}`)
  return (data) => render(nodes, { dot: data, root: data }, '')
}

type Token = { readonly kind: 'text' | 'action'; readonly text: string }

function tokenize(source: string): Token[] {
  const tokens: Token[] = []
  let rest = source
  let trimNext = false
  while (rest !== '') {
    const start = rest.indexOf('{{')
    const before = start < 0 ? rest : rest.slice(0, start)
    const end = start < 0 ? -1 : rest.indexOf('}}', start)
    if (start >= 0 && end < 0) throw new TemplateError('unclosed {{')
    const inner = start < 0 ? '' : rest.slice(start + 2, end)
    const trimsLeft = /^-\s/.test(inner)
    const text = trimsLeft ? before.trimEnd() : before
    tokens.push({ kind: 'text', text: trimNext ? text.trimStart() : text })
    if (start < 0) break
    trimNext = /\s-$/.test(inner)
    const action = inner.replace(/^-\s/, '').replace(/\s-$/, '').trim()
    if (!/^\/\*.*\*\/$/s.test(action)) tokens.push({ kind: 'action', text: action })
    rest = rest.slice(end + 2)
  }
  return tokens.filter(({ kind, text }) => kind === 'action' || text !== '')
}

function parseBlock(tokens: Token[], open: readonly string[]): Node[] {
  const nodes: Node[] = []
  while (tokens.length > 0) {
    const token = tokens[0] as Token
    if (token.kind === 'action' && /^(else|end)\b/.test(token.text)) {
      if (open.length === 0) throw new TemplateError(`unexpected {{${token.text}}}`)
      return nodes
    }
    tokens.shift()
    if (token.kind === 'text') nodes.push({ kind: 'text', text: token.text })
    else nodes.push(parseAction(token.text, tokens, open))
  }
  if (open.length > 0) throw new TemplateError(`{{${open.at(-1)}}} has no {{end}}`)
  return nodes
}

function parseAction(text: string, tokens: Token[], open: readonly string[]): Node {
  const block = /^(if|with|range)\s+(.+)$/s.exec(text)
  if (!block) return { kind: 'value', pipeline: parsePipeline(text) }
  const kind = block[1] as 'if' | 'with' | 'range'
  const then = parseBlock(tokens, [...open, text])
  return { kind, pipeline: parsePipeline(block[2] ?? ''), then, other: parseElse(tokens, [...open, text]) }
}

function parseElse(tokens: Token[], open: readonly string[]): Node[] {
  const { text = '' } = tokens.shift() ?? {}
  if (text === 'end') return []
  const chained = /^else\s+(if\s+.+)$/s.exec(text)
  if (chained) return [parseAction(chained[1] ?? '', tokens, open)]
  if (text !== 'else') throw new TemplateError(`unexpected {{${text}}}`)
  const nodes = parseBlock(tokens, open)
  if (tokens.shift()?.text !== 'end') throw new TemplateError('a second {{else}}')
  return nodes
}

/** @param before What has been written so far, which decides how the next value is escaped. */
function render(nodes: readonly Node[], scope: Scope, before: string): string {
  let written = ''
  for (const node of nodes) written += renderNode(node, scope, before + written)
  return written
}

function renderNode(node: Node, scope: Scope, before: string): string {
  if (node.kind === 'text') return node.text
  const value = evaluate(node.pipeline, scope)
  switch (node.kind) {
    case 'value':
      return escapeFor(before, value)
    case 'if':
      return render(isTruthy(value) ? node.then : node.other, scope, before)
    case 'with':
      return isTruthy(value) ? render(node.then, { ...scope, dot: value }, before) : render(node.other, scope, before)
    case 'range': {
      const items = itemsOf(value)
      if (items.length === 0) return render(node.other, scope, before)
      return items.reduce<string>((done, dot) => done + render(node.then, { ...scope, dot }, before + done), '')
    }
  }
}

function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  return typeof value === 'object' && value !== null ? Object.values(value) : []
}
