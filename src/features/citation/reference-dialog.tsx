import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextareaField, TextField } from '../../components/field.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { SelectField } from '../../components/select.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { keys } from '../../domain/keys.ts'
import { doiIn, type Reference } from '../../domain/reference.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { t, translated } from '../../lib/i18n/i18n.ts'
import { defineMutation } from '../../lib/mutations.ts'
import { lookUpDoi } from './look-up-doi.ts'
import { describedWith, draftOf, TEXTS, TYPES, withDraft, withFound } from './reference-draft.ts'

const MAX_FIELD_LENGTH = 300
const MAX_AUTHORS_LENGTH = 2000

type ReferenceDialogProps = {
  library: string
  document: { id: string; kind: string; author: string | null; dated: string | null; reference: unknown }
  onClose: () => void
}

/** Edits a document's reference. Mounted only while open. */
export function ReferenceDialog({ library, document, onClose }: ReferenceDialogProps) {
  const [draft, setDraft] = useState(() => draftOf(document))
  // Keeps found data that the form doesn't show, such as a day.
  const [described, setDescribed] = useState(document)
  const saving = useAction(saveReference, { onSuccess: onClose })
  const [isChecked, setChecked] = useState(false)
  const doi = doiIn(draft.doi)
  const isWrong = draft.doi.trim() !== '' && doi === undefined
  const lookingUp = useMutation({
    mutationFn: lookUpDoi,
    // Reports being offline instead of waiting.
    networkMode: 'always',
    onSuccess: (found) => {
      const known = describedWith(document, found)
      setDraft((now) => withFound(now, known, described === document ? undefined : described))
      setDescribed(known)
    },
  })
  const lookUp = () => {
    setChecked(true)
    if (doi) lookingUp.mutate(doi)
  }
  const set = (change: Partial<typeof draft>) => setDraft((now) => ({ ...now, ...change }))
  const submit = () => {
    setChecked(true)
    if (!isWrong) saving.mutate({ library, document: document.id, reference: withDraft(draft, described) })
  }
  const types = TYPES.some(({ value }) => value === draft.type)
    ? TYPES
    : [...TYPES, { value: draft.type, label: draft.type }]
  return (
    <Dialog open onOpenChange={onClose} title={t('Reference')} description={t('How this document is cited.')}>
      <Form onSubmit={submit} className="grid gap-4">
        <SelectField
          label={t('Kind')}
          value={draft.type}
          options={translated(types)}
          onValue={(type) => set({ type })}
        />
        <TextareaField
          label={t('Authors')}
          hint={t('One per line: family name, comma, given name')}
          dir="auto"
          rows={3}
          maxLength={MAX_AUTHORS_LENGTH}
          className="min-h-20"
          value={draft.authors}
          onValue={(authors) => set({ authors })}
        />
        <div className="grid grid-cols-2 gap-4">
          <TextField
            label={t('Year')}
            inputMode="numeric"
            pattern="[1-9][0-9]{0,3}"
            maxLength={4}
            value={draft.year}
            onValue={(year) => set({ year })}
          />
          {TEXTS.map(({ field, label }) => (
            <TextField
              key={field}
              label={t(label)}
              dir="auto"
              maxLength={MAX_FIELD_LENGTH}
              value={draft[field]}
              onValue={(value) => set({ [field]: value })}
            />
          ))}
        </div>
        <TextField
          label="DOI"
          hint={t('“Fill in” gets the empty fields from doi.org.')}
          error={
            isChecked && isWrong ? t('Enter a DOI such as 10.1000/182, or a doi.org link.') : lookingUp.error?.message
          }
          aside={
            <Button size="small" busy={lookingUp.isPending} disabled={draft.doi.trim() === ''} onClick={lookUp}>
              {t('Fill in from DOI')}
            </Button>
          }
          dir="ltr"
          maxLength={MAX_FIELD_LENGTH}
          value={draft.doi}
          onValue={(doi) => set({ doi })}
        />
        {lookingUp.isSuccess ? (
          <p role="status" className="text-ink-soft text-sm">
            {t('Empty fields are filled in from doi.org as far as it knows them. Check them before you save.')}
          </p>
        ) : null}
        <FormActions action={t('Save')} busy={saving.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}

/** Saves a reference; the database derives author and date. */
const saveReference = defineMutation({
  mutationFn: async ({ document, reference }: { library: string; document: string; reference: Reference }) => {
    const { data } = await supabase
      .from('documents')
      .update({ reference })
      .eq('id', document)
      .select('id')
      .throwOnError()
    // Row security raises no error but changes no row.
    if (data.length === 0) throw new Error(t('Only people who can edit this document can change its reference.'))
  },
  invalidates: ({ library, document }) => [
    keys.documents(library),
    keys.search(library),
    keys.titles(library),
    keys.document(library, document),
  ],
})
