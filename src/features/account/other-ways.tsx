import { useMutation, useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { explainAuth } from '../../lib/auth-messages.ts'
import { t } from '../../lib/i18n.ts'
import { signInWithPasskey, signInWithProvider } from './mutations.ts'
import { PROVIDERS, waysQuery } from './ways.ts'

/** Passkeys and sign-in providers, as far as this project and this browser have them. */
export function OtherWays({ next }: { next: string }) {
  const { data: ways } = useQuery(waysQuery)
  const passkey = useMutation(signInWithPasskey)
  const provider = useMutation(signInWithProvider)
  const error = passkey.error ?? provider.error
  if (!ways || (!ways.passkeys && ways.providers.length === 0)) return null
  return (
    <div className="mt-3 grid gap-3">
      {error ? <Notice tone="error">{explainAuth(error)}</Notice> : null}
      {ways.passkeys ? (
        <Button busy={passkey.isPending} onClick={() => passkey.mutate()}>
          <KeyRound aria-hidden />
          {t('Use a passkey')}
        </Button>
      ) : null}
      {ways.providers.map((name) => (
        <Button
          key={name}
          busy={provider.isPending && provider.variables.provider === name}
          onClick={() => provider.mutate({ provider: name, next })}
        >
          {t('Go on with {provider}', { provider: PROVIDERS[name] })}
        </Button>
      ))}
    </div>
  )
}
