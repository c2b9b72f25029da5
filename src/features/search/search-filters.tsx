import type { LucideIcon } from 'lucide-react'
import { CalendarDays, FilterX, Folder, Hash, Shapes, UserRound } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Menu, MenuChoice } from '../../components/menu.tsx'
import type { DocumentFilter } from '../../domain/document-filter.ts'
import { msg, t, translated } from '../../lib/i18n/i18n.ts'

type Named = { id: string; name: string }
type SearchFiltersProps = {
  filters: DocumentFilter
  collections: readonly Named[]
  tags: readonly Named[]
  people: readonly Named[]
  onFilter: (change: Partial<DocumentFilter>) => void
}

const KINDS = [
  { value: 'file', label: msg('Files') },
  { value: 'note', label: msg('Notes') },
  { value: 'link', label: msg('Links') },
] as const
const TIMES = [
  { value: 'week', label: msg('The last week') },
  { value: 'month', label: msg('The last month') },
  { value: 'year', label: msg('The last year') },
] as const
const NONE: DocumentFilter = {
  collection: undefined,
  tag: undefined,
  kind: undefined,
  person: undefined,
  since: undefined,
}

/** The filters of a search. A collection includes those inside it. */
export function SearchFilters({ filters, collections, tags, people, onFilter }: SearchFiltersProps) {
  const any = Object.values(filters).some((filter) => filter !== undefined)
  return (
    <fieldset aria-label={t('Narrow the search')} className="-ml-3 flex flex-wrap items-center gap-1">
      <Choice
        icon={Shapes}
        label={t('Kind')}
        all={t('Every kind')}
        options={translated(KINDS)}
        value={filters.kind}
        onChange={(kind) => onFilter({ kind })}
      />
      {collections.length > 0 ? (
        <Choice
          icon={Folder}
          label={t('Collection')}
          all={t('Every collection')}
          options={collections.map(optionOf)}
          value={filters.collection}
          onChange={(collection) => onFilter({ collection })}
        />
      ) : null}
      {tags.length > 0 ? (
        <Choice
          icon={Hash}
          label={t('Tag')}
          all={t('Every tag')}
          options={tags.map(optionOf)}
          value={filters.tag}
          onChange={(tag) => onFilter({ tag })}
        />
      ) : null}
      {people.length > 1 ? (
        <Choice
          icon={UserRound}
          label={t('Added by')}
          all={t('Everybody')}
          options={people.map(optionOf)}
          value={filters.person}
          onChange={(person) => onFilter({ person })}
        />
      ) : null}
      <Choice
        icon={CalendarDays}
        label={t('Added')}
        all={t('Any time')}
        options={translated(TIMES)}
        value={filters.since}
        onChange={(since) => onFilter({ since })}
      />
      {any ? (
        <Button size="small" look="quiet" onClick={() => onFilter(NONE)}>
          <FilterX aria-hidden />
          {t('Clear')}
        </Button>
      ) : null}
    </fieldset>
  )
}

const optionOf = ({ id, name }: Named) => ({ value: id, label: name })

type ChoiceProps<Value extends string> = {
  icon: LucideIcon
  label: string
  all: string
  options: readonly { value: Value; label: string }[]
  value: Value | undefined
  onChange: (value: Value | undefined) => void
}

function Choice<Value extends string>({ icon: Icon, label, all, options, value, onChange }: ChoiceProps<Value>) {
  return (
    <Menu
      label={label}
      align="start"
      trigger={
        <Button size="small" look="quiet" className={value ? 'text-accent-strong' : undefined}>
          <Icon aria-hidden />
          {options.find((option) => option.value === value)?.label ?? all}
        </Button>
      }
    >
      <MenuChoice<Value | 'all'>
        value={value ?? 'all'}
        onChange={(chosen) => onChange(chosen === 'all' ? undefined : chosen)}
        options={[{ value: 'all', label: all }, ...options]}
      />
    </Menu>
  )
}
