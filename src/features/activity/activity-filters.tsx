import { TextField } from '../../components/field.tsx'
import { SelectField } from '../../components/select.tsx'
import { t, translated } from '../../lib/i18n/i18n.ts'
import { AREAS } from './areas.ts'
import type { ActivityFilter, Area } from './filter.ts'

type ActivityFiltersProps = {
  filter: ActivityFilter
  people: readonly { id: string; name: string | null }[]
  onChange: (change: { [Key in keyof ActivityFilter]?: ActivityFilter[Key] | undefined }) => void
}

export function ActivityFilters({ filter, people, onChange }: ActivityFiltersProps) {
  const days = [
    { key: 'since', label: t('From'), limits: { max: filter.until } },
    { key: 'until', label: t('To'), limits: { min: filter.since } },
  ] as const
  return (
    <search className="grid grid-cols-2 gap-3 sm:grid-cols-4">
      <SelectField
        label={t('Who')}
        className="h-9 text-sm"
        value={filter.person ?? ''}
        onValue={(person) => onChange({ person: person || undefined })}
        options={[
          { value: '', label: t('Anyone') },
          ...people.map(({ id, name }) => ({ value: id, label: name ?? deletedAccount(id) })),
        ]}
      />
      <SelectField<Area | ''>
        label={t('What')}
        className="h-9 text-sm"
        value={filter.area ?? ''}
        onValue={(area) => onChange({ area: area || undefined })}
        options={[{ value: '', label: t('Everything') }, ...translated(AREAS)]}
      />
      {days.map(({ key, label, limits }) => (
        <TextField
          key={key}
          label={label}
          {...limits}
          type="date"
          className="h-9 text-sm"
          value={filter[key] ?? ''}
          onValue={(value) => onChange({ [key]: value || undefined })}
        />
      ))}
    </search>
  )
}

/** Names a deleted account by the start of its id. */
export const deletedAccount = (id: string): string => t('Deleted account {id}', { id: id.slice(0, 8) })
