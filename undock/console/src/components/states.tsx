import { CircleAlert, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { ApiError } from '../lib/api.ts'
import { Button } from './button.tsx'

type EmptyProps = { icon: LucideIcon; title: string; children?: ReactNode; action?: ReactNode }

/** An empty state, with what to do. */
export function Empty({ icon: Icon, title, children, action }: EmptyProps) {
  return (
    <div className="mx-auto grid max-w-md justify-items-center gap-2 px-4 py-14 text-center">
      <Icon aria-hidden className="size-7 text-ink-faint" />
      <h2 className="font-semibold">{title}</h2>
      {children ? <div className="text-ink-soft">{children}</div> : null}
      {action ? <div className="mt-2">{action}</div> : null}
    </div>
  )
}

/** Shows an error in the service's own words, with its code, detail and hint; nothing without one. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => unknown }) {
  if (!error) return null
  const message = error instanceof Error ? error.message : String(error)
  const { code, detail, hint } = error instanceof ApiError ? error : { code: '', detail: '', hint: '' }
  return (
    <div role="alert" className="m-4 flex gap-3 rounded-md border border-danger/30 bg-danger-soft p-3 text-[13px]">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
      <div className="grid min-w-0 gap-1">
        <p className="break-words font-medium">
          {message}
          {code ? <code className="ml-2 text-ink-faint text-xs">{code}</code> : null}
        </p>
        {detail ? <p className="break-words text-ink-soft">{detail}</p> : null}
        {hint ? <p className="break-words text-ink-soft">Hint: {hint}</p> : null}
        {onRetry ? (
          <div className="mt-1">
            <Button onClick={() => void onRetry()}>Try again</Button>
          </div>
        ) : null}
      </div>
    </div>
  )
}

/** A loading state, shown only after a short delay. */
export function Loading({ label = 'Loading' }: { label?: string }) {
  return (
    <p role="status" className="animate-late p-4 text-ink-faint">
      {label} …
    </p>
  )
}

type PendingProps = { error: unknown; onRetry?: () => unknown; label?: string }

/** Shows that content is loading, or why it failed. */
export const Pending = ({ error, onRetry, ...loading }: PendingProps) =>
  error ? <Failure error={error} {...(onRetry && { onRetry })} /> : <Loading {...loading} />
