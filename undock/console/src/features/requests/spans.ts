import type { RequestTree } from './queries.ts'

type Span = RequestTree['spans'][number]

/** A line of the waterfall, in milliseconds. `start` is relative to the first request. */
export type Line = {
  readonly key: string
  readonly depth: number
  readonly start: number
  readonly duration: number
} & (
  | { readonly kind: 'request'; readonly request: RequestTree }
  | { readonly kind: 'span'; readonly span: Span; readonly parts: SpanParts }
)

/** @property facts Details by name. */
export type SpanParts = { readonly label: string; readonly facts: readonly (readonly [string, string])[] }

/** Returns a request and everything it caused, by time. */
export function linesOf(tree: RequestTree, origin = Date.parse(tree.time), depth = 0): Line[] {
  const began = Date.parse(tree.time) - origin
  const own: Line = { key: tree.id, depth, start: began, duration: tree.duration, kind: 'request', request: tree }
  const spans = tree.spans.map((span, index): { at: number; lines: Line[] } => ({
    at: began + span.start,
    lines: [
      {
        key: `${tree.id} ${index}`,
        depth: depth + 1,
        start: began + span.start,
        duration: span.duration,
        kind: 'span',
        span,
        parts: partsOf(span),
      },
    ],
  }))
  const children = tree.children.map((child) => ({
    at: Date.parse(child.time) - origin,
    lines: linesOf(child, origin, depth + 1),
  }))
  return [own, ...[...spans, ...children].sort((a, b) => a.at - b.at).flatMap(({ lines }) => lines)]
}

/** Returns the milliseconds until the last line ends. */
export const endOf = (lines: readonly Line[]): number =>
  Math.max(...lines.map(({ start, duration }) => start + duration), 0.01)

/** Describes a span. An unknown kind is shown by its name and fields. */
export function partsOf(span: Span): SpanParts {
  switch (span.kind) {
    case 'sql': {
      const [first] = span.statements
      const more = span.statements.length - 1
      const text = first ? first.text.replace(/\s+/g, ' ').trim().slice(0, 200) : 'SQL'
      return { label: more > 0 ? `${text} (and ${more} more)` : text, facts: span.role ? [['Role', span.role]] : [] }
    }
    case 'mail':
      return { label: `Email: ${span.subject}`, facts: [['To', span.to]] }
    case 'call':
      return {
        label: `${span.method} ${span.url}`,
        facts: [['Status', span.status === null ? 'no answer' : String(span.status)]],
      }
    default:
      return unknownParts(span)
  }
}

function unknownParts(span: object): SpanParts {
  const { kind, start: _, duration: __, error: ___, ...rest } = span as Record<string, unknown>
  const facts = Object.entries(rest)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)] as const)
  const words = facts.map(([, value]) => value).filter((value) => value.length <= 60)
  return { label: [String(kind), ...words.slice(0, 3)].join(' '), facts }
}
