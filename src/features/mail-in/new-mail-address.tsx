import { useMutation } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { Select } from '../../components/select.tsx'
import { showFailure } from '../../domain/failure-toast.ts'
import { t } from '../../lib/i18n/i18n.ts'
import type { CollectionOption } from './mail-address-card.tsx'
import { createMailAddress } from './mutations.ts'

export function NewMailAddress({ library, places }: { library: string; places: readonly CollectionOption[] }) {
  const [place, setPlace] = useState('')
  const making = useMutation({ ...createMailAddress, onError: showFailure })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    making.mutate({ library, collection: place || null })
  }
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-3">
      <div className="min-w-48 max-w-sm flex-1">
        <Field label={t('New address adds documents to')}>
          {(control) => <Select {...control} value={place} onValue={setPlace} options={places} />}
        </Field>
      </div>
      <Button type="submit" busy={making.isPending}>
        <Plus aria-hidden />
        {t('Create an address')}
      </Button>
    </form>
  )
}
