import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { Input } from '../../components/input.tsx'
import { Notice } from '../../components/notice.tsx'
import { describeFailure } from '../../lib/failure.ts'
import { say } from '../../lib/toast.ts'
import { inviteMember } from './mutations.ts'

/** Invites by address. The invitation waits on the person's first screen for seven days. */
export function InviteForm({ library }: { library: string }) {
  const [email, setEmail] = useState('')
  const invitation = useMutation({
    ...inviteMember,
    onSuccess: () => {
      say({ title: `${email} is invited`, description: 'They find it among their libraries, for seven days.' })
      setEmail('')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    invitation.mutate({ library, email: email.trim(), role: 'editor' })
  }
  const failure = invitation.error ? describeFailure(invitation.error) : undefined
  return (
    <form onSubmit={submit} className="grid gap-3">
      {failure ? (
        <Notice tone="error" title={failure.title}>
          {failure.advice}
        </Notice>
      ) : null}
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-56 flex-1">
          <Field label="Invite by email">
            {(control) => (
              <Input
                {...control}
                type="email"
                required
                value={email}
                onChange={(event) => setEmail(event.target.value)}
              />
            )}
          </Field>
        </div>
        <Button type="submit" look="primary" busy={invitation.isPending}>
          Invite as editor
        </Button>
      </div>
    </form>
  )
}
