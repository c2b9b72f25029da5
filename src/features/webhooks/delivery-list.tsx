import { useMutation, useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, Clock, RotateCw } from 'lucide-react'
import type { UndeliveredCode } from '../../../supabase/functions/_shared/errors.ts'
import { Button } from '../../components/button.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { problemCode, problemText } from '../../domain/problem.ts'
import { formatMoment, formatRelativeTime } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { resendDelivery } from './mutations.ts'
import { type Delivery, deliveriesQuery } from './queries.ts'

type DeliveryListProps = { library: string; webhook: string; isActive: boolean }

export function DeliveryList({ library, webhook, isActive }: DeliveryListProps) {
  const { data: deliveries, error } = useQuery(deliveriesQuery(library, webhook))
  const sending = useMutation(resendDelivery)
  if (error) return <FailureNotice error={error} />
  if (!deliveries) return <Skeleton className="h-20" />
  if (deliveries.length === 0)
    return <p className="text-ink-faint text-sm">{t('Nothing has been sent yet. Send a test event to try it.')}</p>
  return (
    <div className="grid gap-2">
      <FailureNotice error={sending.error} />
      <ul aria-label={t('Deliveries')} className="divide-y divide-line rounded-lg border border-line">
        {deliveries.map((delivery) => (
          <li key={delivery.id}>
            <details className="group">
              <summary className="flex min-h-11 cursor-pointer flex-wrap items-center gap-x-3 px-3 py-2 text-sm hover:bg-hover">
                <StateIcon state={delivery.state} />
                <code dir="ltr" className="min-w-0 truncate text-xs">
                  {delivery.type}
                </code>
                <span className="text-ink-soft text-xs">{resultOf(delivery)}</span>
                <time
                  dateTime={delivery.created_at}
                  title={formatMoment(delivery.created_at)}
                  className="ms-auto text-ink-faint text-xs tabular-nums"
                >
                  {formatRelativeTime(delivery.created_at)}
                </time>
              </summary>
              <div className="grid gap-3 border-line border-t bg-sunken/50 px-3 py-3">
                {delivery.problem ? (
                  <p className="text-sm [overflow-wrap:anywhere]">{problemText(delivery.problem)}</p>
                ) : null}
                <Text title={t('Sent')}>{JSON.stringify(delivery.payload, null, 2)}</Text>
                {delivery.answer ? <Text title={t('Response')}>{delivery.answer}</Text> : null}
                {isActive && delivery.state !== 'waiting' ? (
                  <Button
                    icon={RotateCw}
                    size="small"
                    className="justify-self-start"
                    busy={sending.isPending && sending.variables.delivery === delivery.id}
                    onClick={() => sending.mutate({ library, webhook, delivery: delivery.id })}
                  >
                    {t('Send again')}
                  </Button>
                ) : null}
              </div>
            </details>
          </li>
        ))}
      </ul>
    </div>
  )
}

function StateIcon({ state }: Pick<Delivery, 'state'>) {
  if (state === 'delivered')
    return <CircleCheck role="img" aria-label={t('Delivered')} className="size-4 text-accent" />
  if (state === 'failed')
    return <CircleAlert role="img" aria-label={t('Not delivered')} className="size-4 text-danger" />
  return <Clock role="img" aria-label={t('Waiting')} className="size-4 text-ink-faint" />
}

/** Problems after which the receiver may have got the message. */
const WAS_SENT: Readonly<Partial<Record<string, boolean>>> = {
  receiver_silent: true,
  receiver_unreachable: true,
  receiver_unknown: false,
  receiver_not_public: false,
} satisfies Record<UndeliveredCode, boolean>
const wasSent = (problem: unknown): boolean => problem === null || WAS_SENT[problemCode(problem) ?? ''] === true

function resultOf({ state, status, problem, attempts, due_at }: Delivery): string {
  const unanswered = wasSent(problem) ? t('no answer') : t('not sent')
  const answered = status === null ? unanswered : t('status {status}', { status: String(status) })
  if (state === 'waiting' && attempts === 0) return t('is being sent')
  return state === 'waiting'
    ? `${answered} · ${t('next attempt {when}', { when: formatRelativeTime(due_at) })}`
    : answered
}

function Text({ title, children }: { title: string; children: string }) {
  return (
    <div className="grid min-w-0 gap-1">
      <p className="eyebrow">{title}</p>
      <pre
        dir="ltr"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
        tabIndex={0}
        className="max-h-60 overflow-auto rounded-md border border-line bg-surface p-2.5 text-xs"
      >
        {children}
      </pre>
    </div>
  )
}
