import { useMutation } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { claimDomain } from './mutations.ts'

export function ClaimForm({ library }: { library: string }) {
  const [domain, setDomain] = useState('')
  const claim = useMutation({ ...claimDomain, onSuccess: () => setDomain('') })
  const submit = () => claim.mutate({ library, domain })
  return (
    <Form onSubmit={submit} className="grid gap-3" error={claim.error}>
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-48 max-w-sm flex-1">
          <TextField
            label={t('Your company’s email domain')}
            dir="ltr"
            required
            maxLength={253}
            placeholder="example.org"
            autoCapitalize="none"
            spellCheck={false}
            value={domain}
            onValue={setDomain}
          />
        </div>
        <Button icon={Plus} type="submit" look="primary" busy={claim.isPending}>
          {t('Add the domain')}
        </Button>
      </div>
    </Form>
  )
}
