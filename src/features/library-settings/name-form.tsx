import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FailureNotice } from '../../components/failure-notice.tsx'
import { Field } from '../../components/field.tsx'
import { Input, Textarea } from '../../components/input.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { showToast } from '../../lib/ui/toast.ts'
import { changeLibrary } from './mutations.ts'

type NameFormProps = { library: { id: string; name: string; description: string } }

export function NameForm({ library }: NameFormProps) {
  const [draft, setDraft] = useState({ name: library.name, description: library.description })
  const saving = useMutation({
    ...changeLibrary,
    onSuccess: () => showToast({ title: t('Saved') }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const change = { name: draft.name.trim(), description: draft.description.trim() }
    saving.mutate({ library: library.id, change })
  }
  return (
    <form onSubmit={submit} className="grid max-w-lg gap-5">
      <FailureNotice error={saving.error} />
      <Field label={t('Name')}>
        {(control) => (
          <Input
            {...control}
            required
            column="libraries.name"
            pattern=".*\S.*"
            value={draft.name}
            onChange={(event) => setDraft({ ...draft, name: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('What is it for?')} hint={t('Its members see this.')}>
        {(control) => (
          <Textarea
            {...control}
            column="libraries.description"
            value={draft.description}
            onChange={(event) => setDraft({ ...draft, description: event.target.value })}
          />
        )}
      </Field>
      <Button type="submit" look="primary" busy={saving.isPending} className="justify-self-start">
        {t('Save')}
      </Button>
    </form>
  )
}
