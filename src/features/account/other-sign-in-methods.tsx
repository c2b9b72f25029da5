import { useMutation, useQuery } from '@tanstack/react-query'
import { Building2, KeyRound } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { describeAuthError } from '../../domain/auth-messages.ts'
import { PROVIDERS, signInMethodsQuery } from '../../domain/sign-in-methods.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { signInWithPasskey, signInWithProvider } from './mutations.ts'
import { describeCompanyError, domainOf, signInWithCompany } from './sign-in-with-company.ts'
import { typedAddress } from './use-typed-address.ts'

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

/** Company sign-in with the email typed above, or a new one. Looks up its domain only on request. */
function CompanySignIn({ next }: { next: string }) {
  const [address, setAddress] = useState<string>()
  const [isMissing, setIsMissing] = useState(false)
  const company = useMutation(signInWithCompany)
  const go = (from: string) => {
    const domain = domainOf(from)
    setIsMissing(!domain)
    if (domain) company.mutate({ domain, next }, { onError: () => setAddress(from) })
  }
  const start = () => {
    const typed = typedAddress()
    if (domainOf(typed)) go(typed)
    else setAddress(typed)
  }
  if (address === undefined) {
    return (
      <Button icon={Building2} busy={company.isPending} onClick={start}>
        {t('Sign in with your company')}
      </Button>
    )
  }
  const submit = () => go(address)
  const fault = isMissing
    ? t('Enter your company email.')
    : company.error
      ? describeCompanyError(company.error, company.variables.domain)
      : undefined
  return (
    <Form noValidate onSubmit={submit} className="grid gap-3 rounded-lg border border-line bg-sunken p-4">
      <TextField
        label={t('Your company email')}
        error={fault}
        autoFocus
        type="email"
        autoComplete="email"
        value={address}
        onValue={setAddress}
      />
      <Button icon={Building2} type="submit" look="primary" busy={company.isPending}>
        {t('Continue to your company')}
      </Button>
    </Form>
  )
}
