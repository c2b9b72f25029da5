import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Dialog } from '../../../components/dialog.tsx'
import { Field } from '../../../components/field.tsx'
import { FormActions } from '../../../components/form-actions.tsx'
import { Input, Textarea } from '../../../components/input.tsx'
import { Notice } from '../../../components/notice.tsx'
import { describeFailure } from '../../../domain/failure.ts'
import { formatBytes } from '../../../lib/i18n/format.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import { addNote } from '../mutations.ts'

/** Enforced by the database as well (versions.body). */
const LONGEST_NOTE = 1_048_576

type NoteDialogProps = {
  library: string
  collection: string | undefined
  open: boolean
  /** A pasted text that becomes the note. */
  pasted?: string | undefined
  /** Draws a field that offers texts to begin with. */
  drawBeginnings: (onChoose: (body: string) => void) => ReactNode
  /** Completes a text that began with one of them. */
  complete: (body: string, title: string) => string
  onClose: () => void
}

/** Keeps the draft while it is closed, so that Escape pressed by mistake loses nothing. */
export function NoteDialog(props: NoteDialogProps) {
  const { library, collection, open, pasted, drawBeginnings, complete, onClose } = props
  const [draft, setDraft] = useState({ title: '', body: pasted ?? '' })
  const [beginning, setBeginning] = useState('')
  const begin = (body: string) => {
    setBeginning(body)
    setDraft(({ title, body: written }) => {
      if (written.trim() === '' || written === beginning) return { title, body }
      // What was written stays.
      return { title, body: body === '' ? written : `${written.trimEnd()}\n\n${body}` }
    })
  }
  const creation = useMutation({
    ...addNote,
    onSuccess: () => {
      setDraft({ title: '', body: '' })
      setBeginning('')
      onClose()
    },
  })
  const size = new TextEncoder().encode(draft.body).length
  const tooLong = size > LONGEST_NOTE
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!tooLong)
      creation.mutate({
        library,
        collection,
        document: crypto.randomUUID(),
        title: draft.title.trim(),
        body: beginning === '' ? draft.body : complete(draft.body, draft.title.trim()),
      })
  }
  const failure = creation.error ? describeFailure(creation.error) : undefined

  return (
    <Dialog
      open={open}
      onOpenChange={onClose}
      title={t('A new note')}
      description={t('Markdown, if you like: # heading, **strong**, - list.')}
      className="w-[min(44rem,calc(100vw-2rem))]"
    >
      <form onSubmit={submit} className="grid gap-5">
        {failure ? (
          <Notice tone="error" title={failure.title}>
            {failure.advice}
          </Notice>
        ) : null}
        <Field label={t('Title')}>
          {(control) => (
            <Input
              {...control}
              required
              maxLength={300}
              pattern=".*\S.*"
              value={draft.title}
              onChange={(event) => setDraft({ ...draft, title: event.target.value })}
            />
          )}
        </Field>
        {drawBeginnings(begin)}
        <Field
          label={t('Text')}
          error={
            tooLong
              ? t('This note has {size}; 1 MB is the most. Split it into two.', { size: formatBytes(size) })
              : undefined
          }
        >
          {(control) => (
            <Textarea
              {...control}
              rows={12}
              className="font-serif text-base"
              value={draft.body}
              onChange={(event) => setDraft({ ...draft, body: event.target.value })}
            />
          )}
        </Field>
        <FormActions action={t('Add note')} busy={creation.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
