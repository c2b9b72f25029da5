import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Select } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { Failure } from '../../components/states.tsx'
import { time } from '../../lib/format.ts'
import { updateUser, useUserChange } from './mutations.ts'
import type { User } from './queries.ts'

const DURATIONS = [
  { value: '1h', name: 'for an hour' },
  { value: '24h', name: 'for a day' },
  { value: '168h', name: 'for a week' },
  { value: '720h', name: 'for 30 days' },
  // Auth has no permanent ban; this one lasts 100 years.
  { value: '876000h', name: 'until it is lifted' },
] as const

/** Bans a user for a time, or lifts the ban. */
export function Ban({ user }: { user: User }) {
  const [duration, setDuration] = useState<string>('24h')
  const isBanned = user.banned_until !== undefined && new Date(user.banned_until) > new Date()
  const change = useUserChange(
    (ban: string) => updateUser(user.id, { ban_duration: ban }),
    (_, ban) => (ban === 'none' ? 'The ban is lifted.' : 'The user is banned.'),
  )
  return (
    <Panel title="Ban">
      <div className="grid gap-3 p-3 text-[13px]">
        <p className="text-ink-soft">
          {isBanned
            ? `Banned until ${time(user.banned_until)}.`
            : 'A banned user cannot sign in or renew a session. An access token that was issued stays valid until it expires.'}
        </p>
        {isBanned ? (
          <div>
            <Button disabled={change.isPending} onClick={() => change.mutate('none')}>
              Lift the ban
            </Button>
          </div>
        ) : (
          <div className="flex gap-2">
            <Select
              aria-label="Length of the ban"
              className="max-w-48"
              value={duration}
              onChange={({ target }) => setDuration(target.value)}
            >
              {DURATIONS.map(({ value, name }) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </Select>
            <Button look="danger" disabled={change.isPending} onClick={() => change.mutate(duration)}>
              Ban
            </Button>
          </div>
        )}
      </div>
      {change.error ? <Failure error={change.error} /> : null}
    </Panel>
  )
}
