import { useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { Failure, Pending } from '../../components/states.tsx'
import { time } from '../../lib/format.ts'
import { deleteFactor, deletePasskey, endSessions, useUserChange } from './mutations.ts'
import { passkeysQuery, sessionsQuery, type User } from './queries.ts'

/** A user's sign-in methods other than a password. */
export function Identities({ user: { identities } }: { user: User }) {
  return (
    <Panel title="Identities">
      <List isEmpty={!identities?.length} empty="No provider is linked to this user.">
        {identities?.map(({ identity_id, provider, id, identity_data, last_sign_in_at, created_at }) => (
          <li key={identity_id} className="px-3 py-2">
            <details>
              <summary className="cursor-pointer">
                <span className="font-medium">{provider}</span>
                <span className="ml-2 break-all text-ink-faint text-xs">
                  {id}, linked {time(created_at)}
                  {last_sign_in_at ? `, last used ${time(last_sign_in_at)}` : ''}
                </span>
              </summary>
              <pre className="mt-2 whitespace-pre-wrap break-all font-mono text-xs">
                {JSON.stringify(identity_data, null, 2)}
              </pre>
            </details>
          </li>
        ))}
      </List>
    </Panel>
  )
}

/** The second factors and passkeys of a user. */
export function Factors({ user }: { user: User }) {
  const passkeys = useQuery(passkeysQuery(user.id))
  const removal = useUserChange(
    ({ kind, id }: { kind: 'factor' | 'passkey'; id: string }) =>
      kind === 'factor' ? deleteFactor(user.id, id) : deletePasskey(user.id, id),
    (_, { kind }) => `The ${kind} is deleted.`,
  )
  const factors = user.factors ?? []
  const item = (kind: 'factor' | 'passkey', id: string, name: string, text: string) => (
    <li key={id} className="flex items-center gap-2 px-3 py-1">
      <span className="min-w-0 flex-1 truncate">
        <span className="font-medium">{name}</span>
        <span className="ml-2 text-ink-faint text-xs">{text}</span>
      </span>
      <IconButton
        icon={Trash2}
        label={`Delete the ${kind} ${name}`}
        disabled={removal.isPending}
        onClick={() => removal.mutate({ kind, id })}
      />
    </li>
  )
  return (
    <Panel title="Factors and passkeys">
      <List
        isEmpty={factors.length + (passkeys.data?.length ?? 0) === 0}
        empty="The user has no second factor and no passkey."
      >
        {factors.map(({ id, friendly_name, factor_type, status, created_at }) =>
          item('factor', id, friendly_name || factor_type, `${factor_type}, ${status}, added ${time(created_at)}`),
        )}
        {passkeys.data?.map(({ id, friendly_name, created_at }) =>
          item('passkey', id, friendly_name || 'Passkey', `passkey, added ${time(created_at)}`),
        )}
      </List>
      <Failure error={removal.error ?? passkeys.error} />
    </Panel>
  )
}

/** A user's sessions, with buttons to end them. */
export function Sessions({ user }: { user: User }) {
  const { data, error, refetch } = useQuery(sessionsQuery(user.id))
  const ending = useUserChange(
    (id: string | null) => endSessions(user.id, id),
    (_, id) => (id === null ? 'All sessions are ended.' : 'The session is ended.'),
  )
  return (
    <Panel
      title="Sessions"
      className="lg:col-span-2"
      actions={
        data && data.length > 0 ? (
          <Button look="danger" disabled={ending.isPending} onClick={() => ending.mutate(null)}>
            End all sessions
          </Button>
        ) : null
      }
    >
      {data ? (
        <List isEmpty={data.length === 0} empty="The user has no sessions.">
          {data.map(({ id, createdAt, refreshedAt, notAfter, userAgent, address, aal, methods }) => (
            <li key={id} className="flex items-center gap-2 px-3 py-1.5">
              <div className="min-w-0 flex-1">
                <p className="truncate" title={userAgent ?? ''}>
                  {userAgent || 'Unknown client'}{' '}
                  {address ? <span className="text-ink-soft">from {address}</span> : null}
                </p>
                <p className="truncate text-ink-faint text-xs">
                  {[
                    `since ${time(createdAt)}`,
                    refreshedAt ? `renewed ${time(refreshedAt)}` : '',
                    notAfter ? `until ${time(notAfter)}` : '',
                    aal ?? '',
                    methods.length > 0 ? `by ${methods.join(', ')}` : '',
                  ]
                    .filter(Boolean)
                    .join(', ')}
                </p>
              </div>
              <Button disabled={ending.isPending} onClick={() => ending.mutate(id)}>
                End
              </Button>
            </li>
          ))}
        </List>
      ) : (
        <Pending error={error} onRetry={refetch} />
      )}
      {error && data ? <Failure error={error} onRetry={refetch} /> : null}
      <Failure error={ending.error} />
    </Panel>
  )
}

function List({ isEmpty, empty, children }: { isEmpty: boolean; empty: string; children: ReactNode }) {
  if (isEmpty) return <p className="px-3 py-2.5 text-[13px] text-ink-soft">{empty}</p>
  return <ul className="divide-y text-[13px]">{children}</ul>
}
