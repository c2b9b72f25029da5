import { useMutation, useQuery } from '@tanstack/react-query'
import { MonitorSmartphone } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { formatDate, formatRelativeTime } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { deviceLabel } from './device.ts'
import { endSession } from './mutations.ts'
import { sessionsQuery } from './queries.ts'

export function SessionList() {
  const { data: sessions, error } = useQuery(sessionsQuery)
  const ending = useMutation({
    ...endSession,
  })
  if (!sessions && !error) return <Skeleton className="h-14" />
  return (
    <div className="grid gap-3">
      <FailureNotice error={error ?? ending.error} />
      <ul aria-label={t('Sessions')} className="divide-y divide-line rounded-lg border border-line bg-surface">
        {sessions?.map(({ id, is_current, aal, user_agent, ip, created_at, refreshed_at }) => {
          const device = deviceLabel(user_agent) ?? t('An unknown device')
          return (
            <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 text-sm">
              <MonitorSmartphone aria-hidden className="size-4 text-ink-faint" />
              <div className="min-w-0 flex-1 basis-48">
                <p className="font-medium">
                  <bdi>{device}</bdi>
                  {ip ? (
                    <span className="font-normal text-ink-faint">
                      {' '}
                      · <bdi>{ip}</bdi>
                    </span>
                  ) : null}
                </p>
                <p className="text-ink-faint text-xs">
                  {t('since {date}, last used {when}', {
                    date: formatDate(created_at),
                    when: formatRelativeTime(refreshed_at),
                  })}
                </p>
              </div>
              {aal === 'aal2' ? <Badge tone="accent">{t('two factors')}</Badge> : null}
              {is_current ? (
                <Badge>{t('this one')}</Badge>
              ) : (
                <Button
                  size="small"
                  aria-label={t('Sign out {device}', { device })}
                  busy={ending.isPending && ending.variables === id}
                  onClick={() => ending.mutate(id)}
                >
                  {t('Sign out')}
                </Button>
              )}
            </li>
          )
        })}
      </ul>
      <p className="text-ink-faint text-xs">
        {t('Apps that are already open can still read for up to an hour after you end their session here.')}
      </p>
    </div>
  )
}
