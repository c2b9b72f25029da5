import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { SelectField } from '../../components/select.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { type Grantee, type GrantRole, setGrant } from './mutations.ts'
import { grantChoices } from './roles.ts'

type GrantDialogProps = {
  library: string
  grantee: Grantee
  name: string
  collections: readonly { id: string; name: string }[]
  onClose: () => void
}

/** Grants a collection and its descendants to a person or group. Mounted only while open. */
export function GrantDialog({ library, grantee, name, collections, onClose }: GrantDialogProps) {
  const [collection, setCollection] = useState(collections[0]?.id ?? '')
  const [role, setRole] = useState<GrantRole>('reader')
  const granting = useMutation(setGrant)
  const submit = () => granting.mutate({ library, collection, grantee, role }, { onSuccess: onClose })
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('Give {name} access to a collection', { name })}
      description={t('Including everything in it, now and later, in addition to their role.')}
    >
      {collections.length > 0 ? (
        <Form onSubmit={submit} error={granting.error}>
          <SelectField
            label={t('Collection')}
            value={collection}
            onValue={setCollection}
            options={collections.map(({ id, name }) => ({ value: id, label: name }))}
          />
          <SelectField label={t('Access')} value={role} onValue={setRole} options={grantChoices()} />
          <FormActions action={t('Open it')} busy={granting.isPending} onCancel={onClose} />
        </Form>
      ) : (
        <p className="text-ink-soft text-sm">{t('There are no collections yet. Create one on the shelf first.')}</p>
      )}
    </Dialog>
  )
}
