import { Columns2, FilterX } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Chip, FilterButton, FilterMenus } from '../../components/filters.tsx'
import { isFiltered, NO_FILTER, type SearchFilter } from '../../domain/document-filter.ts'
import { withFilter } from '../../domain/field-conditions.ts'
import { FILTERS, filterMenus, filterValue, without } from '../../domain/filters.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { customFilter, FIELDS, fieldName, type Vocabulary } from './query-syntax.ts'

type SearchFiltersProps = {
  filter: SearchFilter
  vocabulary: Vocabulary
  onFilter: (change: Partial<SearchFilter>) => void
}

/** Removable filters, and menus for the others. A collection includes its descendants. */
export function SearchFilters({ filter, vocabulary, onFilter }: SearchFiltersProps) {
  const set = FIELDS.flatMap((field) => {
    const value = filterValue(field, filter, vocabulary)
    return value === undefined ? [] : [{ field, value }]
  })
  const filters = filterMenus(FIELDS, filter, vocabulary, onFilter)
  return (
    <fieldset aria-label={t('Narrow the search')} className="flex flex-wrap items-center gap-1.5 sm:-ms-1">
      <FilterButton filters={filters} className="sm:hidden" />
      {set.map(({ field, value }) => (
        <Chip
          key={field}
          icon={FILTERS[field].icon}
          name={fieldName(field)}
          value={value}
          onRemove={() => onFilter(without(field))}
        />
      ))}
      {filter.fields?.map((one) => {
        const read = customFilter(one, vocabulary)
        return read ? (
          <Chip
            key={one.fields.join()}
            icon={Columns2}
            {...read}
            onRemove={() => onFilter({ fields: withFilter(filter.fields, one.fields, undefined) })}
          />
        ) : null
      })}
      <div className="hidden flex-wrap items-center gap-1.5 sm:flex">
        <FilterMenus filters={filters.filter(({ value }) => value === '')} />
      </div>
      {isFiltered(filter) ? (
        <Button icon={FilterX} size="small" look="quiet" onClick={() => onFilter(NO_FILTER)}>
          {t('Clear')}
        </Button>
      ) : null}
    </fieldset>
  )
}
