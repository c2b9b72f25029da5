import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextareaField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
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
  const submit = () => {
    const change = { name: draft.name.trim(), description: draft.description.trim() }
    saving.mutate({ library: library.id, change })
  }
  return (
    <Form onSubmit={submit} className="grid max-w-lg gap-5" error={saving.error}>
      <TextField
        label={t('Name')}
        required
        column="libraries.name"
        pattern=".*\S.*"
        value={draft.name}
        onValue={(name) => setDraft({ ...draft, name })}
      />
      <TextareaField
        label={t('What is it for?')}
        hint={t('Its members see this.')}
        column="libraries.description"
        value={draft.description}
        onValue={(description) => setDraft({ ...draft, description })}
      />
      <Button type="submit" look="primary" busy={saving.isPending} className="justify-self-start">
        {t('Save')}
      </Button>
    </Form>
  )
}
