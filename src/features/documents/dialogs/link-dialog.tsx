import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Dialog } from '../../../components/dialog.tsx'
import { TextField } from '../../../components/field.tsx'
import { Form, FormActions } from '../../../components/form.tsx'
import { failureText } from '../../../domain/failure.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import { showToast } from '../../../lib/ui/toast.ts'
import { addLink } from '../mutations.ts'
import { KeepPagesHelp } from './keep-pages-help.tsx'
import { webAddress } from './web-address.ts'

type LinkDialogProps = { library: string; collection: string | undefined; initial: string; onClose: () => void }

/** Adds a web page. Mounted only while open. */
export function LinkDialog({ library, collection, initial, onClose }: LinkDialogProps) {
  const navigate = useNavigate()
  const [address, setAddress] = useState(initial)
  const [fault, setFault] = useState<string>()
  const addition = useMutation({
    ...addLink,
    onSuccess: ({ id, title, added }) => {
      onClose()
      if (added) return
      showToast({
        title: t('This link is already in the library'),
        description: title,
        action: {
          label: t('Open'),
          onClick: () => void navigate({ to: '/l/$library/d/$document', params: { library, document: id } }),
        },
      })
    },
  })
  const submit = () => {
    const url = webAddress(address)
    setFault(url ? undefined : t('This isn’t a web address. Web addresses start with https:// or http://.'))
    if (url) addition.mutate({ library, url, collection })
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('Add a link')}
      description={t('The page is saved as it is now, readable and searchable, even if it changes or disappears.')}
    >
      <Form onSubmit={submit} noValidate>
        <TextField
          label={t('Address')}
          error={fault ?? (addition.error ? failureText(addition.error) : undefined)}
          type="url"
          inputMode="url"
          placeholder="https://"
          column="documents.url"
          value={address}
          onValue={setAddress}
        />
        <FormActions action={t('Keep it')} busy={addition.isPending} onCancel={onClose} />
      </Form>
      <KeepPagesHelp />
    </Dialog>
  )
}
