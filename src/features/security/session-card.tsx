import type { Session } from '@supabase/supabase-js'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { describeFailure } from '../../domain/failure.ts'
import { formatMoment, formatRelativeTime } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { claimsQuery } from './queries.ts'

const methods = (): Record<string, string> => ({
  password: t('password'),
  otp: t('mailed link or code'),
  magiclink: t('mailed link'),
  recovery: t('recovery mail'),
  totp: t('authenticator'),
  oauth: t('sign-in provider'),
  invite: t('invitation'),
  'email/signup': t('confirmation mail'),
  passkey: t('passkey'),
})

const levels = (): Record<string, string> => ({ aal1: t('One factor (aal1)'), aal2: t('Two factors (aal2)') })

/** This session: its person, its sign-in method, and when its access token expires. */
export function SessionCard({ session }: { session: Session }) {
  const { data: claims, error } = useQuery(claimsQuery(session.access_token))
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 10_000)
    return () => clearInterval(timer)
  }, [])
  const expires = (session.expires_at ?? 0) * 1000
  const ways = (claims?.amr ?? []).map((entry) => (typeof entry === 'string' ? entry : entry.method))

  return (
    <dl className="grid gap-x-8 gap-y-0.5 text-sm sm:grid-cols-[11rem_1fr] sm:gap-y-3 [&>dt]:mt-2.5 [&>dt]:text-ink-faint sm:[&>dt]:mt-0">
      <dt>{t('Signed in as')}</dt>
      <dd className="font-medium">{session.user.email}</dd>
      <dt>{t('Person')}</dt>
      <dd className="font-mono text-xs leading-6 [overflow-wrap:anywhere]">{session.user.id}</dd>
      <dt>{t('Access token')}</dt>
      <dd>
        <time dateTime={new Date(expires).toISOString()}>{formatMoment(expires)}</time>{' '}
        <span className="text-ink-faint">
          {t('({when}; renewed by itself before that)', { when: formatRelativeTime(expires, now) })}
        </span>
      </dd>
      <dt>{t('Level')}</dt>
      <dd>
        <Badge tone={claims?.aal === 'aal2' ? 'accent' : 'neutral'}>
          {levels()[claims?.aal ?? 'aal1'] ?? claims?.aal}
        </Badge>
      </dd>
      <dt>{t('Signed in by')}</dt>
      <dd>{ways.map((method) => methods()[method] ?? method).join(', ') || '—'}</dd>
      <dt>{t('Signature')}</dt>
      <dd>
        {error
          ? describeFailure(error).title
          : claims
            ? t('Checked against the project’s public keys')
            : t('Being checked')}
      </dd>
    </dl>
  )
}
