import { useMutation } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { toast } from 'sonner'
import { Button } from '../../components/button.tsx'
import { explainAuth } from './auth-messages.ts'
import { signOut } from './mutations.ts'

/** Ends this session; every tab then goes to sign-in. */
export function SignOutButton(props: ComponentProps<typeof Button>) {
  const leaving = useMutation({ ...signOut, onError: (error) => toast.error(explainAuth(error)) })
  return <Button {...props} busy={leaving.isPending} onClick={() => leaving.mutate('local')} />
}
