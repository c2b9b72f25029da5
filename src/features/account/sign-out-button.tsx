import { useMutation } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { Button } from '../../components/button.tsx'
import { explainAuth } from '../../lib/auth-messages.ts'
import { say } from '../../lib/toast.ts'
import { signOut } from './mutations.ts'

/** Ends this session; every tab then goes to sign-in. */
export function SignOutButton(props: ComponentProps<typeof Button>) {
  const leaving = useMutation({ ...signOut, onError: (error) => say({ title: explainAuth(error), failed: true }) })
  return <Button {...props} busy={leaving.isPending} onClick={() => leaving.mutate('local')} />
}
