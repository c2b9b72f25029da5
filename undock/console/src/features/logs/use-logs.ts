import { useState } from 'react'
import type { LogLine } from '../../../../src/kernel/log-lines.ts'
import { useEvents } from '../../lib/use-events.ts'

export type { LogLine }

/** @property number Counts the lines that this page has received. */
export type NumberedLine = LogLine & { readonly number: number }

/** Lines that the page keeps, more than the backend does. */
const MAX_LINES = 10_000

/** The last lines of the log, oldest first, and those that are added. Null until the first ones are here. */
export function useLogs(isFollowing: boolean) {
  const [lines, setLines] = useState<readonly NumberedLine[] | null>(null)
  const isLive = useEvents<readonly LogLine[]>({
    path: isFollowing ? '/logs' : null,
    onEvent: (added) => setLines((before) => join(before ?? [], added)),
  })
  return { lines, isLive }
}

/** A stream that begins again sends lines which are already here. */
function join(before: readonly NumberedLine[], added: readonly LogLine[]): readonly NumberedLine[] {
  const [first] = added
  if (!first) return before
  const known = new Set(before.filter(({ time }) => time >= first.time).map(identityOf))
  let number = before.at(-1)?.number ?? 0
  const fresh = added.filter((line) => !known.has(identityOf(line))).map((line) => ({ ...line, number: ++number }))
  return [...before, ...fresh].slice(-MAX_LINES)
}

const identityOf = ({ time, service, message, fields }: LogLine): string =>
  `${time} ${service} ${message} ${String(fields.requestId)}`
