import { useMutation, useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { describeAuthError } from '../../domain/auth-messages.ts'
import { PROVIDERS, signInMethodsQuery } from '../../domain/sign-in-methods.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { CompanySignIn } from './company-sign-in.tsx'
import { signInWithPasskey, signInWithProvider } from './mutations.ts'

export function OtherSignInMethods({ next }: { next: string }) {
  const { data: methods } = useQuery(signInMethodsQuery)
  const passkey = useMutation(signInWithPasskey)
  const provider = useMutation(signInWithProvider)
  const error = passkey.error ?? provider.error
  if (!methods || !(methods.passkeys || methods.companies || methods.providers.length > 0)) return null
  return (
    <div className="mt-3 grid gap-3">
      {error ? <Notice tone="error">{describeAuthError(error)}</Notice> : null}
      {methods.passkeys ? (
        <Button icon={KeyRound} busy={passkey.isPending} onClick={() => passkey.mutate()}>
          {t('Use a passkey')}
        </Button>
      ) : null}
      {methods.providers.map((name) => (
        <Button
          key={name}
          busy={provider.isPending && provider.variables.provider === name}
          onClick={() => provider.mutate({ provider: name, next })}
        >
          {t('Continue with {provider}', { provider: PROVIDERS[name] })}
        </Button>
      ))}
      {methods.companies ? <CompanySignIn next={next} /> : null}
    </div>
  )
}
