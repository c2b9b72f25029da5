import { useMutation } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FailureNotice } from '../../components/failure-notice.tsx'
import { Field } from '../../components/field.tsx'
import { Input } from '../../components/input.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { claimDomain } from './mutations.ts'

export function ClaimForm({ library }: { library: string }) {
  const [domain, setDomain] = useState('')
  const claim = useMutation({ ...claimDomain, onSuccess: () => setDomain('') })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    claim.mutate({ library, domain })
  }
  return (
    <form onSubmit={submit} className="grid gap-3">
      <FailureNotice error={claim.error} />
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-48 max-w-sm flex-1">
          <Field label={t('Your company’s email domain')}>
            {(control) => (
              <Input
                {...control}
                dir="ltr"
                required
                maxLength={253}
                placeholder="example.org"
                autoCapitalize="none"
                spellCheck={false}
                value={domain}
                onChange={({ target }) => setDomain(target.value)}
              />
            )}
          </Field>
        </div>
        <Button type="submit" look="primary" busy={claim.isPending}>
          <Plus aria-hidden />
          {t('Add the domain')}
        </Button>
      </div>
    </form>
  )
}
