import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { Checkbox, Form, Input, Select } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { Failure } from '../../components/states.tsx'
import { time } from '../../lib/format.ts'
import { deleteUser, updateUser, useUserChange } from './mutations.ts'
import { type User, userTitle } from './queries.ts'

/** Changes a user's credentials. */
export function Account({ user }: { user: User }) {
  const [email, setEmail] = useState(user.email)
  const [phone, setPhone] = useState(user.phone)
  const [password, setPassword] = useState('')
  const [isConfirmed, setIsConfirmed] = useState(true)
  const hasNewEmail = email.trim() !== user.email && email.trim() !== ''
  const hasNewPhone = phone.trim().replace(/^\+/, '') !== user.phone && phone.trim() !== ''
  const saving = useUserChange(
    () =>
      updateUser(user.id, {
        ...(hasNewEmail && { email: email.trim(), email_confirm: isConfirmed }),
        ...(hasNewPhone && { phone: phone.trim(), phone_confirm: isConfirmed }),
        ...(password && { password }),
      }),
    'The account is changed.',
  )
  const confirming = useUserChange(
    (address: 'email' | 'phone') =>
      updateUser(user.id, address === 'email' ? { email_confirm: true } : { phone_confirm: true }),
    (_, address) => `The ${address} is confirmed.`,
  )
  const confirmation = (address: 'email' | 'phone', at: string | undefined) => {
    if (user[address] === '') return null
    if (at) return `Confirmed ${time(at)}`
    return (
      <>
        Not confirmed.{' '}
        <button
          type="button"
          className="text-accent underline"
          disabled={confirming.isPending}
          onClick={() => confirming.mutate(address)}
        >
          Confirm the {address}
        </button>
      </>
    )
  }
  return (
    <Panel title="Account">
      <Form className="grid gap-3 p-3" onSubmit={() => saving.mutate(undefined, { onSuccess: () => setPassword('') })}>
        <Input
          label="Email"
          hint={confirmation('email', user.email_confirmed_at)}
          type="email"
          value={email}
          onValue={setEmail}
        />
        <Input
          label="Phone"
          hint={confirmation('phone', user.phone_confirmed_at)}
          type="tel"
          value={phone}
          onValue={setPhone}
        />
        <Input
          label="New password"
          hint="The user's sessions end when the password changes."
          type="password"
          autoComplete="new-password"
          value={password}
          onValue={setPassword}
        />
        {hasNewEmail || hasNewPhone ? (
          <Checkbox label="The new email or phone is confirmed" checked={isConfirmed} onChecked={setIsConfirmed} />
        ) : null}
        <div>
          <Button type="submit" look="primary" disabled={saving.isPending || !(hasNewEmail || hasNewPhone || password)}>
            Save the account
          </Button>
        </div>
      </Form>
      <Failure error={saving.error ?? confirming.error} />
    </Panel>
  )
}

type DeleteUserProps = { user: User; onDeleted: (isSoft: boolean) => void; onClose: () => void }

export function DeleteUser({ user, onDeleted, onClose }: DeleteUserProps) {
  const [isSoft, setIsSoft] = useState(false)
  const deletion = useUserChange((isKept: boolean) => deleteUser(user.id, isSoft, isKept), 'The user is deleted.')
  return (
    <Confirm
      title={`Delete ${userTitle(user)}?`}
      action="Delete user"
      deletesData
      run={deletion.mutateAsync}
      onClose={onClose}
      onDone={() => onDeleted(isSoft)}
    >
      <p>
        {isSoft
          ? 'The row stays, so foreign keys to it stay valid. Addresses, metadata, sessions and factors are permanently deleted.'
          : 'The user is permanently deleted, along with rows that foreign keys delete with it.'}
      </p>
      <Checkbox label="Keep the row (soft delete)" checked={isSoft} onChecked={setIsSoft} />
    </Confirm>
  )
}

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
              onValue={setDuration}
              options={DURATIONS.map(({ value, name }) => [value, name])}
            />
            <Button look="danger" disabled={change.isPending} onClick={() => change.mutate(duration)}>
              Ban
            </Button>
          </div>
        )}
      </div>
      <Failure error={change.error} />
    </Panel>
  )
}
