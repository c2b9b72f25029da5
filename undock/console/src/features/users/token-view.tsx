import { useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleX } from 'lucide-react'
import type { TokenReport } from '../../../../src/console/routes.ts'
import { TextLink } from '../../components/link.tsx'
import { Pending } from '../../components/states.tsx'
import { api, readJson } from '../../lib/api.ts'
import { time } from '../../lib/format.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Verifies a token with the project's keys, and shows its claims. */
export function TokenView({ token }: { token: string }) {
  const { data, error } = useQuery({
    queryKey: ['token', token],
    queryFn: ({ signal }) => api<TokenReport>('/token', { method: 'POST', body: { token }, signal }),
  })
  if (error || !data) return <Pending error={error} />
  const { header, claims, role, refusal } = data
  const isValid = refusal === null
  return (
    <div className="grid gap-3 text-[13px]">
      <p role="status" className="flex gap-2 font-medium">
        {isValid ? (
          <CircleCheck aria-hidden className="size-4 shrink-0 text-accent" />
        ) : (
          <CircleX aria-hidden className="size-4 shrink-0 text-danger" />
        )}
        {isValid ? `Valid. Requests with it have the role ${role}.` : `Every service refuses it: ${refusal}`}
      </p>
      {claims ? <Facts claims={claims} /> : null}
      {claims === null && !isValid ? <p className="text-ink-soft">It cannot be decoded as a JSON web token.</p> : null}
      {header ? <Json name="Header" value={header} /> : null}
      {claims ? <Json name="Claims" value={claims} /> : null}
    </div>
  )
}

/** Explains the claims: times in words, the user, and whether the session still exists. */
function Facts({ claims }: { claims: Readonly<Record<string, unknown>> }) {
  const { sub, iat, exp, session_id: session } = claims
  const isSession = typeof session === 'string' && UUID.test(session)
  const exists = useQuery({
    queryKey: ['users', 'session', session],
    enabled: isSession,
    queryFn: ({ signal }) =>
      readJson<boolean>(
        'select to_json(exists (select from auth.sessions where id = $1::uuid))',
        [isSession ? session : null],
        { signal },
      ),
  })
  const at = (seconds: unknown) => (typeof seconds === 'number' ? time(new Date(seconds * 1_000).toISOString()) : null)
  return (
    <ul className="grid gap-1 text-ink-soft">
      {typeof sub === 'string' && UUID.test(sub) ? (
        <li>
          User{' '}
          <TextLink to="/users/$id" params={{ id: sub }}>
            {typeof claims.email === 'string' && claims.email ? claims.email : sub}
          </TextLink>
        </li>
      ) : null}
      {at(iat) ? <li>Issued {at(iat)}</li> : null}
      {at(exp) ? <li>Expires {at(exp)}</li> : <li>It never expires.</li>}
      {exists.data?.[0] === false ? (
        <li className="text-warn">Its session has ended: Auth refuses it, other services take it until it expires.</li>
      ) : null}
    </ul>
  )
}

const Json = ({ name, value }: { name: string; value: unknown }) => (
  <figure>
    <figcaption className="mb-1 text-ink-faint text-xs">{name}</figcaption>
    <pre className="overflow-auto whitespace-pre-wrap break-all rounded-md border bg-panel p-2.5 font-mono text-xs">
      {JSON.stringify(value, null, 2)}
    </pre>
  </figure>
)
