import { useMutation } from '@tanstack/react-query'
import { Building2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { describeCompanyError, domainOf, signInWithCompany } from './sign-in-with-company.ts'
import { typedAddress } from './use-typed-address.ts'

/** Company sign-in with the email typed above, or a new one. Looks up its domain only on request. */
export function CompanySignIn({ next }: { next: string }) {
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
