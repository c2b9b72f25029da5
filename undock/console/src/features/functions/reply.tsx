import clsx from 'clsx'
import { TextBlock } from '../../components/copy-button.tsx'
import { duration } from '../../lib/format.ts'
import type { FunctionReply } from './functions.ts'

type ReplyProps = { reply: FunctionReply; text: string; isArriving: boolean }

export function Reply({ reply: { status, statusText, headers, milliseconds }, text, isArriving }: ReplyProps) {
  return (
    <section aria-label="Response" className="rounded-lg border bg-raised">
      <header className="flex items-center gap-3 border-b px-3 py-1.5 text-[13px]">
        <span className={clsx('font-semibold', status >= 400 ? 'text-danger' : 'text-accent')}>
          {status} {statusText}
        </span>
        <span className="text-ink-faint text-xs">{duration(milliseconds)}</span>
        {isArriving ? (
          <span role="status" className="text-ink-faint text-xs">
            is arriving …
          </span>
        ) : null}
      </header>
      <details className="border-b px-3 py-1 text-xs">
        <summary className="cursor-pointer text-ink-soft">{headers.length} headers</summary>
        <dl className="grid grid-cols-[minmax(8rem,auto)_1fr] gap-x-3 py-1 font-mono">
          {headers.map(([name, value], index) => (
            <div key={`${name} ${index}`} className="contents">
              <dt className="text-ink-faint">{name}</dt>
              <dd className="min-w-0 break-all">{value}</dd>
            </div>
          ))}
        </dl>
      </details>
      <TextBlock label="Body of the response" text={readable(text) || '(empty)'} className="max-h-96" />
    </section>
  )
}

/** JSON with line breaks; any other text as it is. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
