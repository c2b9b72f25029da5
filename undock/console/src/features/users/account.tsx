import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox, Field, Input } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { Failure } from '../../components/states.tsx'
import { time } from '../../lib/format.ts'
import { updateUser, useUserChange } from './mutations.ts'
import type { User } from './queries.ts'

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
      <form
        className="grid gap-3 p-3"
        onSubmit={(event) => {
          event.preventDefault()
          saving.mutate(undefined, { onSuccess: () => setPassword('') })
        }}
      >
        <Field label="Email" hint={confirmation('email', user.email_confirmed_at)}>
          {(id) => <Input id={id} type="email" value={email} onChange={({ target }) => setEmail(target.value)} />}
        </Field>
        <Field label="Phone" hint={confirmation('phone', user.phone_confirmed_at)}>
          {(id) => <Input id={id} type="tel" value={phone} onChange={({ target }) => setPhone(target.value)} />}
        </Field>
        <Field label="New password" hint="The user's sessions end when the password changes.">
          {(id) => (
            <Input
              id={id}
              type="password"
              autoComplete="new-password"
              value={password}
              onChange={({ target }) => setPassword(target.value)}
            />
          )}
        </Field>
        {hasNewEmail || hasNewPhone ? (
          <Checkbox
            label="The new email or phone is confirmed"
            checked={isConfirmed}
            onChange={({ target }) => setIsConfirmed(target.checked)}
          />
        ) : null}
        <div>
          <Button type="submit" look="primary" disabled={saving.isPending || !(hasNewEmail || hasNewPhone || password)}>
            Save the account
          </Button>
        </div>
      </form>
      {(saving.error ?? confirming.error) ? <Failure error={saving.error ?? confirming.error} /> : null}
    </Panel>
  )
}
