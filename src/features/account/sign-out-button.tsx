import { useMutation } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { Button } from '../../components/button.tsx'
import { describeAuthError } from '../../domain/auth-messages.ts'
import { showToast } from '../../lib/ui/toast.ts'
import { signOut } from './mutations.ts'

/** Signs out; all tabs go to the sign-in page. */
export function SignOutButton(props: ComponentProps<typeof Button>) {
  const signingOut = useMutation({
    ...signOut,
    onError: (error) => showToast({ title: describeAuthError(error), failed: true }),
  })
  return <Button {...props} busy={signingOut.isPending} onClick={() => signingOut.mutate('local')} />
}
