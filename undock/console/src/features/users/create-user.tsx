import { useState } from 'react'
import { Checkbox, Field, Input, Select, TextArea } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { parseObject } from '../../lib/json-source.ts'
import { createUser, inviteUser, useUserChange } from './mutations.ts'
import type { User } from './queries.ts'

type CreateUserProps = { onCreated: (user: User) => void; onClose: () => void }

/** Creates a user with a password, or invites one by mail. */
export function CreateUser({ onCreated, onClose }: CreateUserProps) {
  const [way, setWay] = useState<'password' | 'invitation'>('password')
  const [isConfirmed, setIsConfirmed] = useState(true)
  const [text, setText] = useState({ email: '', phone: '', password: '', metadata: '' })
  const creation = useUserChange<void, User>(
    async () => {
      const user_metadata = parseObject(text.metadata)
      const email = text.email.trim()
      if (way === 'invitation') return inviteUser(email, user_metadata)
      const phone = text.phone.trim()
      return createUser({
        ...(email && { email, email_confirm: isConfirmed }),
        ...(phone && { phone, phone_confirm: isConfirmed }),
        ...(text.password && { password: text.password }),
        user_metadata,
      })
    },
    way === 'invitation' ? 'The user is created, and the invitation is sent.' : 'The user is created.',
  )
  const input = (name: keyof typeof text, type: string) => (id: string) => (
    <Input
      id={id}
      type={type}
      value={text[name]}
      autoComplete={type === 'password' ? 'new-password' : 'off'}
      onChange={({ target }) => setText({ ...text, [name]: target.value })}
    />
  )
  return (
    <FormDialog
      title="Add a user"
      action={way === 'invitation' ? 'Send the invitation' : 'Create user'}
      mutation={{ ...creation, mutate: () => creation.mutate(undefined, { onSuccess: onCreated }) }}
      onClose={onClose}
    >
      <Select label="How" value={way} onChange={({ target }) => setWay(target.value as typeof way)}>
        <option value="password">With a password</option>
        <option value="invitation">By an invitation email</option>
      </Select>
      <Field label="Email">{input('email', 'email')}</Field>
      {way === 'password' ? (
        <>
          <Field
            label="Phone"
            hint="With the country's code, such as +4915112345678. A user needs an email or a phone."
          >
            {input('phone', 'tel')}
          </Field>
          <Field label="Password" hint="Without one, the user can only sign in by email or text message.">
            {input('password', 'password')}
          </Field>
          <Checkbox
            label="Confirm the email and phone at once"
            checked={isConfirmed}
            onChange={({ target }) => setIsConfirmed(target.checked)}
          />
        </>
      ) : null}
      <TextArea
        label="User metadata"
        hint="A JSON object; the user can change it later. Empty for none."
        rows={3}
        className="font-mono text-xs"
        value={text.metadata}
        onChange={({ target }) => setText({ ...text, metadata: target.value })}
      />
    </FormDialog>
  )
}
