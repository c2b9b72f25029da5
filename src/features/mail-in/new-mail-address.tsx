import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Form } from '../../components/form.tsx'
import { SelectField } from '../../components/select.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { t } from '../../lib/i18n/i18n.ts'
import type { CollectionOption } from './mail-address-card.tsx'
import { createMailAddress } from './mutations.ts'

export function NewMailAddress({ library, places }: { library: string; places: readonly CollectionOption[] }) {
  const [place, setPlace] = useState('')
  const making = useAction(createMailAddress)
  const submit = () => making.mutate({ library, collection: place || null })
  return (
    <Form onSubmit={submit} className="flex flex-wrap items-end gap-3">
      <div className="min-w-48 max-w-sm flex-1">
        <SelectField label={t('New address adds documents to')} value={place} onValue={setPlace} options={places} />
      </div>
      <Button type="submit" busy={making.isPending}>
        <Plus aria-hidden />
        {t('Create an address')}
      </Button>
    </Form>
  )
}
