import type { LucideIcon } from 'lucide-react'
import { Calendar, CalendarDays, Columns2, FilterX, Folder, Hash, PenLine, Shapes, Type, UserRound } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Chip, FilterButton, FilterMenus } from '../../components/filters.tsx'
import { withFilter } from '../../domain/field-conditions.ts'
import { msg, t } from '../../lib/i18n/i18n.ts'
import {
  customFilter,
  FIELDS,
  type Field,
  fieldName,
  fieldValue,
  optionsOf,
  type Vocabulary,
  withoutField,
} from './query-syntax.ts'
import { isFiltered, NO_FILTER, type SearchFilter } from './search-filter.ts'

type SearchFiltersProps = {
  filter: SearchFilter
  vocabulary: Vocabulary
  onFilter: (change: Partial<SearchFilter>) => void
}

const ICONS: Record<Field, LucideIcon> = {
  kind: Shapes,
  in: Folder,
  tag: Hash,
  from: UserRound,
  since: CalendarDays,
  until: CalendarDays,
  title: Type,
  author: PenLine,
  dated: Calendar,
}

const MENUS = [
  { field: 'kind', label: msg('Kind'), all: msg('Every kind'), least: 1 },
  { field: 'in', label: msg('Collection'), all: msg('Every collection'), least: 1 },
  { field: 'tag', label: msg('Tag'), all: msg('Every tag'), least: 1 },
  { field: 'from', label: msg('Added by'), all: msg('Anyone'), least: 2 },
  { field: 'since', label: msg('Added'), all: msg('Added any time'), least: 1 },
  { field: 'author', label: msg('Author'), all: msg('Every author'), least: 1 },
  { field: 'dated', label: msg('Dated'), all: msg('Any year'), least: 1 },
] as const

/** Others are completed by typing. */
const MAX_MENU_ENTRIES = 100

/** Removable filters, and menus for the others. A collection includes its descendants. */
export function SearchFilters({ filter, vocabulary, onFilter }: SearchFiltersProps) {
  const set = FIELDS.flatMap((field) => {
    const value = fieldValue(field, filter, vocabulary)
    return value === undefined ? [] : [{ field, value }]
  })
  const filters = MENUS.flatMap(({ field, label, all, least }) => {
    const options = optionsOf(field, vocabulary).slice(0, MAX_MENU_ENTRIES)
    if (options.length < least) return []
    const value = set.find((one) => one.field === field)?.value
    const chosen = options.findIndex((option) => option.label === value)
    return {
      field,
      label: t(label),
      icon: ICONS[field],
      // By position, because names may repeat. A typed value may not be among the options.
      value: value === undefined ? '' : String(chosen),
      options: [
        { value: '', label: t(all) },
        ...(value !== undefined && chosen === -1 ? [{ value: '-1', label: value }] : []),
        ...options.map((option, index) => ({ value: String(index), label: option.label })),
      ],
      onChange: (position: string) =>
        onFilter(position === '' ? withoutField(field) : (options[Number(position)]?.filter ?? {})),
    }
  })
  return (
    <fieldset aria-label={t('Narrow the search')} className="-ms-1 flex flex-wrap items-center gap-1.5">
      <FilterButton filters={filters} className="sm:hidden" />
      {set.map(({ field, value }) => (
        <Chip
          key={field}
          icon={ICONS[field]}
          name={fieldName(field)}
          value={value}
          onRemove={() => onFilter(withoutField(field))}
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
        <Button size="small" look="quiet" onClick={() => onFilter(NO_FILTER)}>
          <FilterX aria-hidden />
          {t('Clear')}
        </Button>
      ) : null}
    </fieldset>
  )
}
