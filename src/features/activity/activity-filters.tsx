import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { Input } from '../../components/input.tsx'
import { Select } from '../../components/select.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import type { ActivityFilter, Area } from './filter.ts'

type ActivityFiltersProps = {
  filter: ActivityFilter
  people: readonly { id: string; name: string }[]
  onChange: (change: { [Key in keyof ActivityFilter]?: ActivityFilter[Key] | undefined }) => void
}

const areas = (): { value: Area; label: string }[] => [
  { value: 'documents', label: t('Documents') },
  { value: 'comments', label: t('Comments') },
  { value: 'people', label: t('People and rights') },
  { value: 'sharing', label: t('Share links') },
  { value: 'library', label: t('The library itself') },
]

/** Filters for owners, for whom the activity is also an audit log. */
export function ActivityFilters({ filter, people, onChange }: ActivityFiltersProps) {
  const isFiltered = Object.values(filter).some(Boolean)
  return (
    <search className="grid grid-cols-2 items-end gap-3 sm:flex sm:flex-wrap">
      <Field label={t('Who')}>
        {(control) => (
          <Select
            {...control}
            className="h-9 text-sm sm:w-40"
            value={filter.person ?? ''}
            onValue={(person) => onChange({ person: person || undefined })}
            options={[
              { value: '', label: t('Everybody') },
              ...people.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        )}
      </Field>
      <Field label={t('What')}>
        {(control) => (
          <Select<Area | ''>
            {...control}
            className="h-9 text-sm sm:w-40"
            value={filter.area ?? ''}
            onValue={(area) => onChange({ area: area || undefined })}
            options={[{ value: '', label: t('Everything') }, ...areas()]}
          />
        )}
      </Field>
      <Field label={t('From')}>
        {(control) => (
          <Input
            {...control}
            type="date"
            className="h-9 text-sm sm:w-40"
            value={filter.since ?? ''}
            max={filter.until}
            onChange={({ target }) => onChange({ since: target.value || undefined })}
          />
        )}
      </Field>
      <Field label={t('To')}>
        {(control) => (
          <Input
            {...control}
            type="date"
            className="h-9 text-sm sm:w-40"
            value={filter.until ?? ''}
            min={filter.since}
            onChange={({ target }) => onChange({ until: target.value || undefined })}
          />
        )}
      </Field>
      {isFiltered ? (
        <Button
          look="quiet"
          size="small"
          onClick={() => onChange({ person: undefined, area: undefined, since: undefined, until: undefined })}
        >
          {t('Show everything')}
        </Button>
      ) : null}
    </search>
  )
}
