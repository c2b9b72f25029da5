import { useState } from 'react'
import type { LogLine } from '../../../../src/kernel/log-lines.ts'
import { useEvents } from '../../lib/use-events.ts'

export type { LogLine }

/** @property number Counts the lines this page received. */
export type NumberedLine = LogLine & { readonly number: number }

/** Lines kept by the page; the backend keeps fewer. */
const MAX_LINES = 10_000

/** The log's last lines, oldest first, updated live. Null until the first ones arrive. */
export function useLogs(isFollowing: boolean) {
  const [lines, setLines] = useState<readonly NumberedLine[] | null>(null)
  const isLive = useEvents<readonly LogLine[]>({
    path: isFollowing ? '/logs' : null,
    onEvent: (added) => setLines((before) => join(before ?? [], added)),
  })
  return { lines, isLive }
}

/** A reconnected stream repeats lines. */
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
