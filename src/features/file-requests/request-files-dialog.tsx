import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { LabelledCheckbox } from '../../components/checkbox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextareaField, TextField } from '../../components/field.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { SelectField } from '../../components/select.tsx'
import { FILE_TYPES } from '../../domain/document-filter.ts'
import { formatBytes } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { createFileRequest } from './mutations.ts'
import { RequestLink } from './request-link.tsx'

type RequestFilesDialogProps = { library: string; collection: { id: string; name: string }; onClose: () => void }

const MB = 1_048_576
const SIZES = [5, 10, 25, 50].map((size) => size * MB)
const DAYS = 14
const MAX_DAYS = 364

function dayIn(days: number): string {
  const date = new Date()
  date.setDate(date.getDate() + days)
  return date.toLocaleDateString('sv')
}

/** Creates a file request and shows its link once. Mounted only while open. */
export function RequestFilesDialog({ library, collection, onClose }: RequestFilesDialogProps) {
  const [title, setTitle] = useState(collection.name)
  const [words, setWords] = useState('')
  const [until, setUntil] = useState(() => dayIn(DAYS))
  const [most, setMost] = useState('50')
  const [largest, setLargest] = useState(String(50 * MB))
  const [types, setTypes] = useState<readonly string[]>([])
  const making = useMutation({ ...createFileRequest })
  const submit = () => {
    making.mutate({
      library,
      collection: collection.id,
      title,
      words,
      expires_at: new Date(`${until}T23:59:59`).toISOString(),
      most_files: Number(most),
      largest_bytes: Number(largest),
      allowed_types: [...types],
    })
  }
  const choose = (type: string, isChosen: boolean) =>
    setTypes(isChosen ? [...types, type] : types.filter((one) => one !== type))
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('Request files')}
      description={t(
        'People without an account send files for “{collection}”. Files wait here until you accept them.',
        {
          collection: collection.name,
        },
      )}
    >
      {making.data ? (
        <div className="grid gap-5">
          <RequestLink token={making.data.token} />
          <Button className="justify-self-end" onClick={onClose}>
            {t('Done')}
          </Button>
        </div>
      ) : (
        <Form onSubmit={submit} error={making.error}>
          <TextField
            label={t('What you’re asking for')}
            required
            column="file_requests.title"
            value={title}
            onValue={setTitle}
          />
          <TextareaField
            label={t('Message to senders')}
            column="file_requests.words"
            value={words}
            onValue={setWords}
          />
          <div className="grid gap-4 sm:grid-cols-3">
            <TextField
              label={t('Until')}
              type="date"
              required
              min={dayIn(0)}
              max={dayIn(MAX_DAYS)}
              value={until}
              onValue={setUntil}
            />
            <TextField
              label={t('Maximum files')}
              type="number"
              required
              min={1}
              max={500}
              value={most}
              onValue={setMost}
            />
            <SelectField
              label={t('Largest file')}
              value={largest}
              onValue={setLargest}
              options={SIZES.map((size) => ({ value: String(size), label: formatBytes(size) }))}
            />
          </div>
          <fieldset className="grid gap-2">
            <legend className="mb-2 font-medium text-sm">{t('Kinds of files')}</legend>
            <p className="text-[0.8125rem] text-ink-faint">{t('If you choose none, all kinds are accepted.')}</p>
            <div className="grid grid-cols-2 gap-2 sm:grid-cols-3">
              {Object.entries(FILE_TYPES).map(([type, label]) => (
                <LabelledCheckbox key={type} checked={types.includes(type)} onChange={(chosen) => choose(type, chosen)}>
                  {t(label)}
                </LabelledCheckbox>
              ))}
            </div>
          </fieldset>
          <FormActions action={t('Create link')} busy={making.isPending} onCancel={onClose} />
        </Form>
      )}
    </Dialog>
  )
}
