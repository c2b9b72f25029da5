import type { WithholdReason } from '../kernel/tracer.ts'
import type { RecordedBody } from './bodies.ts'
import type { RequestSummary, RequestTree, Span } from './records.ts'

const SHORT_ID = 8

/** Formats a request as one line. */
export function summaryLine({ id, time, method, path, status, duration, caller, statements }: RequestSummary): string {
  const columns = [
    time.slice(11, 23),
    id.slice(0, SHORT_ID),
    String(status),
    millisecondsText(duration).padStart(9),
    method.padEnd(6),
    path,
    `(${caller?.role ?? 'no caller'}${statements === 0 ? '' : `, ${statements} SQL`})`,
  ]
  return columns.join('  ')
}

/** Formats a request and everything it caused as text. */
export function treeText(tree: RequestTree, depth = 0): string {
  const {
    id,
    time,
    method,
    path,
    status,
    duration,
    caller,
    headers,
    spans,
    droppedSpans,
    requestBody,
    responseBody,
    children,
  } = tree
  const who = caller ? `${caller.role}${caller.claims.sub ? `, user ${caller.claims.sub}` : ''}` : 'not known'
  const lines = [
    `${method} ${path}`,
    `${status} after ${millisecondsText(duration)}, at ${time}`,
    `Request ${id}`,
    `Caller  ${who}`,
    ...Object.entries(headers).map(([name, value]) => `        ${name}: ${value}`),
    ...bodyLines('Body   ', requestBody),
    ...bodyLines('Answer ', responseBody),
    '',
    ...spans.flatMap(spanLines),
    ...(droppedSpans > 0 ? [`  and ${droppedSpans} more, which were not kept`] : []),
  ]
  const nested = children.flatMap((child) => ['', '  This request caused:', treeText(child, depth + 1)])
  return [...lines.map((line) => (line === '' ? '' : '    '.repeat(depth) + line)), ...nested].join('\n')
}

function bodyLines(title: string, body: RecordedBody | null): string[] {
  if (body === null) return []
  return [`${title} ${'text' in body ? body.text : `not kept, because ${body.omitted}`}`]
}

function spanLines(span: Span): string[] {
  const { start, duration, error } = span
  const when = `  +${millisecondsText(start)}, ${millisecondsText(duration)}`
  const fault = error === null ? [] : [`      ✗ ${error}`]
  switch (span.kind) {
    case 'mail':
      return [`${when}  mail to ${span.to}: ${span.subject}`, ...fault]
    case 'call':
      return [`${when}  ${span.method} ${span.url} ${span.status ?? ''}`, ...fault]
    case 'hook':
      return [`${when}  hook ${span.name} at ${span.target}`, ...fault]
    case 'file':
      return [
        `${when}  ${span.action} a file of ${span.bucket}${span.bytes === null ? '' : `, ${span.bytes} bytes`}`,
        ...fault,
      ]
    case 'join':
      return [`${when}  join ${span.topic}: ${span.verdict}${allowedText(span.allowed)}`, ...fault]
    case 'delivery':
      return [
        `${when}  ${span.event} on ${span.topic} to ${span.receivers === 1 ? '1 subscriber' : `${span.receivers} subscribers`}`,
        ...span.withheld.map(({ caller, reason, count }) => `      not to ${count} of ${caller}: ${REASONS[reason]}`),
        ...fault,
      ]
    case 'sql':
      return [
        `${when}  SQL${span.role === null ? '' : ` as ${span.role}`}${waitText(span.waited)}`,
        ...span.statements.flatMap(({ text, parameters, rows }) => [
          ...text.split('\n').map((line) => `      ${line}`),
          ...parameters.map((value, index) => `      $${index + 1} = ${value}`),
          ...(rows === null ? [] : [`      ${rows === 1 ? '1 row' : `${rows} rows`}`]),
        ]),
        ...fault,
      ]
  }
}

const REASONS: Record<WithholdReason, string> = {
  policy: 'row security does not let them read it',
  filter: 'their filter leaves it out',
  sender: 'they sent it themselves',
  replayed: 'they have it already',
}

const allowedText = (allowed: Readonly<Record<string, boolean | null>> | null): string =>
  allowed === null
    ? ', a public topic'
    : `, policies allow ${
        Object.entries(allowed)
          .flatMap(([what, isAllowed]) => (isAllowed ? [what] : []))
          .join(', ') || 'nothing'
      }`

/** Shorter waits are just the engine's latency. */
const TOLD_WAIT = 1

const waitText = (waited: number): string =>
  waited < TOLD_WAIT ? '' : `, of which it waited ${millisecondsText(waited)} for its session`

const millisecondsText = (milliseconds: number): string => `${milliseconds.toFixed(1)} ms`
