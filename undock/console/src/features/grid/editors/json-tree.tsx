import type { ReactNode } from 'react'
import { parseNumbers } from '../../../lib/json-source.ts'

/** A number as the document writes it, with all its digits. */
class Digits {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Children of one value that are shown. */
const MAX_CHILDREN = 200
/** Levels that are open at first. */
const OPEN = 2

/** JSON as a tree, whose branches fold. */
export function JsonTree({ text }: { text: string }) {
  const value = parseNumbers(text, (_number, source) => new Digits(source))
  return (
    <div className="max-h-96 overflow-auto rounded-md border bg-raised p-2 font-mono text-xs leading-5">
      <Branch value={value} depth={0} />
    </div>
  )
}

function Branch({ name, value, depth }: { name?: string; value: unknown; depth: number }) {
  const label: ReactNode = name === undefined ? null : <span className="text-ink-soft">{name}: </span>
  if (typeof value !== 'object' || value === null || value instanceof Digits)
    return (
      <p className="break-words">
        {label}
        <Leaf value={value} />
      </p>
    )
  const entries = Object.entries(value)
  const kind = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`
  if (entries.length === 0)
    return (
      <p>
        {label}
        <span className="text-ink-faint">{kind}</span>
      </p>
    )
  return (
    <details open={depth < OPEN}>
      <summary className="cursor-pointer">
        {label}
        <span className="text-ink-faint">{kind}</span>
      </summary>
      <div className="border-l pl-4">
        {entries.slice(0, MAX_CHILDREN).map(([key, one]) => (
          <Branch key={key} name={key} value={one} depth={depth + 1} />
        ))}
        {entries.length > MAX_CHILDREN ? (
          <p className="text-ink-faint">and {entries.length - MAX_CHILDREN} more</p>
        ) : null}
      </div>
    </details>
  )
}

function Leaf({ value }: { value: unknown }) {
  if (value instanceof Digits) return <span className="text-danger">{value.text}</span>
  if (typeof value === 'string') return <span className="text-warn">{JSON.stringify(value)}</span>
  return <span className="text-accent">{String(value)}</span>
}
