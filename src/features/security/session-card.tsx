import type { Session } from '@supabase/supabase-js'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { describeFailure } from '../../domain/failure.ts'
import { formatMoment, formatRelativeTime } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { classNames } from '../../lib/ui/class-names.ts'
import { claimsQuery } from './queries.ts'

const methods = (): Record<string, string> => ({
  password: t('password'),
  otp: t('emailed link or code'),
  magiclink: t('emailed link'),
  recovery: t('reset link'),
  totp: t('authenticator'),
  oauth: t('sign-in provider'),
  invite: t('invitation'),
  'email/signup': t('confirmation email'),
  passkey: t('passkey'),
  'sso/saml': t('your company'),
})

export function SessionCard({ session }: { session: Session }) {
  const { data: claims, error } = useQuery(claimsQuery(session.access_token))
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 10_000)
    return () => clearInterval(timer)
  }, [])
  const expires = (session.expires_at ?? 0) * 1000
  const ways = (claims?.amr ?? []).map((entry) => (typeof entry === 'string' ? entry : entry.method))

  const since = session.user.last_sign_in_at
  return (
    <div className="grid gap-4">
      <dl className={LIST}>
        <dt>{t('Signed in as')}</dt>
        <dd dir="auto" className="font-medium">
          {session.user.email}
        </dd>
        {since ? (
          <>
            <dt>{t('Since')}</dt>
            <dd>{formatMoment(new Date(since).getTime())}</dd>
          </>
        ) : null}
        <dt>{t('Signed in by')}</dt>
        <dd>{ways.map((method) => methods()[method] ?? method).join(', ') || '—'}</dd>
        <dt>{t('Second factor')}</dt>
        <dd>
          <Badge tone={claims?.aal === 'aal2' ? 'accent' : 'neutral'}>
            {claims?.aal === 'aal2' ? t('Confirmed in this session') : t('Not used in this session')}
          </Badge>
        </dd>
      </dl>
      <details className="text-sm">
        <summary className="cursor-pointer rounded text-ink-soft hover:text-ink">{t('Technical details')}</summary>
        <dl className={classNames('mt-3', LIST)}>
          <dt>{t('Account')}</dt>
          <dd className="font-mono text-xs leading-6 [overflow-wrap:anywhere]">{session.user.id}</dd>
          <dt>{t('Access token')}</dt>
          <dd>
            <time dateTime={new Date(expires).toISOString()}>{formatMoment(expires)}</time>{' '}
            <span className="text-ink-faint">
              {t('({when}; renewed automatically before that)', { when: formatRelativeTime(expires, now) })}
            </span>
          </dd>
          <dt>{t('Level of assurance')}</dt>
          <dd>{claims?.aal ?? '—'}</dd>
          <dt>{t('Signature')}</dt>
          <dd>
            {error
              ? describeFailure(error).title
              : claims
                ? t('Checked against the project’s public keys')
                : t('Checking')}
          </dd>
        </dl>
      </details>
    </div>
  )
}

const LIST =
  'grid gap-x-8 gap-y-0.5 text-sm sm:grid-cols-[11rem_1fr] sm:gap-y-3 [&>dt]:mt-2.5 [&>dt]:text-ink-faint sm:[&>dt]:mt-0'
