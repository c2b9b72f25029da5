import { CircleAlert, CircleCheck, Info } from 'lucide-react'
import type { ReactNode } from 'react'
import { describeFailure } from '../domain/failure.ts'
import { classNames } from '../lib/ui/class-names.ts'

const TONE = {
  error: { icon: CircleAlert, role: 'alert', style: 'bg-danger-soft text-danger' },
  success: { icon: CircleCheck, role: 'status', style: 'bg-accent-soft text-accent-strong' },
  info: { icon: Info, role: 'status', style: 'bg-sunken text-ink-soft' },
} as const

type NoticeProps = { tone: keyof typeof TONE; title?: string; children?: ReactNode; className?: string }

export function Notice({ tone, title, children, className }: NoticeProps) {
  const { icon: Icon, role, style } = TONE[tone]
  return (
    <div role={role} className={classNames('flex gap-3 rounded-lg px-3.5 py-3 text-sm', style, className)}>
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1 leading-relaxed">
        {title ? <p className="font-semibold">{title}</p> : null}
        {children}
      </div>
    </div>
  )
}

export function FailureNotice({ error }: { error: unknown }) {
  if (!error) return null
  const { title, advice } = describeFailure(error)
  return (
    <Notice tone="error" title={title}>
      {advice}
    </Notice>
  )
}
