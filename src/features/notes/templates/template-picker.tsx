import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Field } from '../../../components/field.tsx'
import { Select } from '../../../components/select.tsx'
import { showFailure } from '../../../domain/failure-toast.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import { templateQuery, templatesQuery } from './queries.ts'
import { suggestedTemplates } from './suggestions.ts'

/** Chooses what a note begins with: nothing, a template of the library, or a suggestion that the library has no template for. */
export function TemplatePicker({ library, onChoose }: { library: string; onChoose: (body: string) => void }) {
  const queryClient = useQueryClient()
  const { data: templates = [] } = useQuery(templatesQuery(library))
  const [chosen, setChosen] = useState('')
  const titles = new Set(templates.map(({ title }) => title))
  const suggestions = suggestedTemplates().filter(({ title }) => !titles.has(title))
  const choose = async (value: string) => {
    const suggested = suggestions.find(({ id }) => id === value)
    try {
      const body = value === '' ? '' : (suggested ?? (await queryClient.fetchQuery(templateQuery(library, value)))).body
      setChosen(value)
      onChoose(body)
    } catch (error) {
      showFailure(error)
    }
  }
  return (
    <Field label={t('Begin with')}>
      {(control) => (
        <Select
          {...control}
          value={chosen}
          onValue={(value) => void choose(value)}
          options={[
            { value: '', label: t('An empty note') },
            ...templates.map(({ id, title }) => ({ value: id, label: title })),
            ...suggestions.map(({ id, title }) => ({ value: id, label: t('{title} (suggestion)', { title }) })),
          ]}
        />
      )}
    </Field>
  )
}
