import clsx from 'clsx'
import type { FileChange } from '../../../src/console/mail-templates.ts'
import { changedLines } from '../lib/changed-lines.ts'

const TONES = { ' ': 'text-ink-soft', '-': 'bg-danger-soft text-danger', '+': 'bg-accent-soft text-ink' } as const

/** The lines of a file that a change would write. */
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
