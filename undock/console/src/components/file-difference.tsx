import clsx from 'clsx'
import type { FileChange } from '../../../src/console/mail-templates.ts'

type ChangedLine = { readonly mark: ' ' | '-' | '+'; readonly text: string }

/** Unchanged lines shown before and after a change. */
const CONTEXT = 2

/** Returns the lines from the first to the last difference of two texts, with some context. */
export function changedLines(before: string, after: string): readonly ChangedLine[] {
  const [old, next] = [linesOf(before), linesOf(after)]
  let start = 0
  while (start < Math.min(old.length, next.length) && old[start] === next[start]) start++
  let same = 0
  while (same < Math.min(old.length, next.length) - start && old.at(-1 - same) === next.at(-1 - same)) same++
  const as = (mark: ChangedLine['mark'], lines: readonly string[]) => lines.map((text) => ({ mark, text }))
  return [
    ...as(' ', old.slice(Math.max(0, start - CONTEXT), start)),
    ...as('-', old.slice(start, old.length - same)),
    ...as('+', next.slice(start, next.length - same)),
    ...as(' ', old.slice(old.length - same, old.length - same + CONTEXT)),
  ]
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/))

const TONES = { ' ': 'text-ink-soft', '-': 'bg-danger-soft text-danger', '+': 'bg-accent-soft text-ink' } as const

/** The lines of a file that would change. */
export function FileDifference({ change: { path, before, after } }: { change: FileChange }) {
  return (
    <section aria-label={path}>
      <h3 className="mb-1 font-medium text-[13px]">
        <code className="font-mono text-xs">{path}</code> {before === null ? '(new file)' : null}
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre tabIndex={0} className="max-h-72 overflow-auto rounded-lg border bg-raised py-1 font-mono text-xs">
        {changedLines(before ?? '', after).map(({ mark, text }, at) => (
          <span key={at} className={clsx('block w-fit min-w-full px-3', TONES[mark])}>
            {mark} {text}
          </span>
        ))}
      </pre>
    </section>
  )
}
