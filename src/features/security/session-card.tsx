import type { Session } from '@supabase/supabase-js'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { describeFailure } from '../../lib/failure.ts'
import { formatMoment, formatSince } from '../../lib/format.ts'
import { claimsQuery } from './queries.ts'

const METHODS: Record<string, string> = {
  password: 'password',
  otp: 'mailed link or code',
  magiclink: 'mailed link',
  recovery: 'recovery mail',
  totp: 'authenticator',
  oauth: 'sign-in provider',
  invite: 'invitation',
  'email/signup': 'confirmation mail',
}

const LEVELS: Record<string, string> = { aal1: 'One factor (aal1)', aal2: 'Two factors (aal2)' }

/** What this session is: whose, how they came in, and until when its access token lasts. */
export function SessionCard({ session }: { session: Session }) {
  const { data: claims, error } = useQuery(claimsQuery(session.access_token))
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 10_000)
    return () => clearInterval(timer)
  }, [])
  const expires = (session.expires_at ?? 0) * 1000
  const methods = (claims?.amr ?? []).map((entry) => (typeof entry === 'string' ? entry : entry.method))

  return (
    <dl className="grid gap-x-8 gap-y-0.5 text-sm sm:grid-cols-[11rem_1fr] sm:gap-y-3 [&>dt]:mt-2.5 [&>dt]:text-ink-faint sm:[&>dt]:mt-0">
      <dt>Signed in as</dt>
      <dd className="font-medium">{session.user.email}</dd>
      <dt>Person</dt>
      <dd className="font-mono text-xs leading-6 [overflow-wrap:anywhere]">{session.user.id}</dd>
      <dt>Access token</dt>
      <dd>
        <time dateTime={new Date(expires).toISOString()}>{formatMoment(expires)}</time>{' '}
        <span className="text-ink-faint">({formatSince(expires, now)}; renewed by itself before that)</span>
      </dd>
      <dt>Level</dt>
      <dd>
        <Badge tone={claims?.aal === 'aal2' ? 'accent' : 'neutral'}>
          {LEVELS[claims?.aal ?? 'aal1'] ?? claims?.aal}
        </Badge>
      </dd>
      <dt>Signed in by</dt>
      <dd>{methods.map((method) => METHODS[method] ?? method).join(', ') || '—'}</dd>
      <dt>Signature</dt>
      <dd>
        {error ? describeFailure(error).title : claims ? 'Checked against the project’s public keys' : 'Being checked'}
      </dd>
    </dl>
  )
}
