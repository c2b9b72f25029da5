import {
  ArrowDownWideNarrow,
  Columns2,
  FolderUp,
  Grid2x2,
  Import,
  Inbox,
  LayoutGrid,
  Link2,
  List,
  NotebookPen,
  Plus,
  SquareKanban,
  Upload,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../../components/button.tsx'
import type { Filter } from '../../../components/filter-sheet.tsx'
import { Chip, FilterButton, FilterMenus } from '../../../components/filters.tsx'
import { Menu, MenuItem } from '../../../components/menu.tsx'
import { Segmented } from '../../../components/segmented.tsx'
import { countDocuments } from '../../../domain/counts.ts'
import { fieldSort } from '../../../domain/field-sort.ts'
import { type FilterVocabulary, filterMenus } from '../../../domain/filters.ts'
import { formatNumber } from '../../../lib/i18n/format.ts'
import { t, translated } from '../../../lib/i18n/i18n.ts'
import { orderOf, type ShelfSearch, SORTS } from './shelf-search.ts'

const SHELF_FILTERS = ['kind', 'from', 'since', 'author', 'dated', 'verified', 'state'] as const

type ShelfToolbarProps = {
  title: string
  above: ReactNode
  total: number | null
  canChoose: boolean
  aside: ReactNode
  vocabulary: FilterVocabulary
  hasBoard: boolean
  fields:
    | { orders: readonly { value: string; label: string }[]; list: ReactNode; set: number; onClear: () => void }
    | undefined
  canEdit: boolean
  search: ShelfSearch
  onSearch: (change: Partial<ShelfSearch>) => void
  onPick: () => void
  /** Undefined for people who can't create collections, which folders become. */
  onPickFolder: (() => void) | undefined
  onWrite: () => void
  onLink: () => void
  /** Undefined for people who can't add to the whole library. */
  onImport: (() => void) | undefined
  onRequest: (() => void) | undefined
}

export function ShelfToolbar(props: ShelfToolbarProps) {
  const {
    title,
    above,
    total,
    canChoose,
    aside,
    canEdit,
    search,
    onSearch,
    onPick,
    onPickFolder,
    onWrite,
    onLink,
    onImport,
    onRequest,
    hasBoard,
  } = props
  const filters = filtersOf(props)
  return (
    <div className="mb-6">
      <div className="flex flex-wrap items-end gap-x-4 gap-y-3">
        {/* The controls wrap before the title is cut. */}
        <div className="min-w-0 max-w-full flex-auto">
          {above}
          <h1
            dir="auto"
            className="font-semibold font-serif text-[1.75rem] leading-tight tracking-tight [overflow-wrap:anywhere]"
          >
            {title}
          </h1>
        </div>
        <div className="flex max-w-full flex-wrap items-center gap-2 max-sm:w-full">
          {canChoose ? (
            <>
              <FilterButton filters={filters} more={props.fields} />
              <div className="max-sm:hidden">
                <FilterMenus filters={filters.slice(-1)} />
              </div>
              <Segmented
                label={t('View')}
                value={search.view ?? 'grid'}
                onChange={(view) => onSearch({ view })}
                options={[
                  { value: 'grid', label: t('Grid'), icon: LayoutGrid, iconOnly: true },
                  { value: 'cards', label: t('Large cards'), icon: Grid2x2, iconOnly: true },
                  { value: 'list', label: t('List'), icon: List, iconOnly: true },
                  ...(hasBoard
                    ? [{ value: 'board' as const, label: t('Board'), icon: SquareKanban, iconOnly: true }]
                    : []),
                ]}
              />
            </>
          ) : null}
          {canEdit ? (
            <div className="ms-auto">
              <AddMenu {...{ onPick, onPickFolder, onWrite, onLink, onImport, onRequest }} />
            </div>
          ) : null}
        </div>
      </div>
      <div className="mt-1 flex min-h-5 flex-wrap items-center gap-x-2">
        <p className="text-ink-faint text-sm" aria-live="polite">
          {total === null ? '' : countDocuments(total)}
        </p>
        {aside}
      </div>
      <SetFilters filters={filters.slice(0, -1)} fields={props.fields} />
    </div>
  )
}

function SetFilters({ filters, fields }: { filters: readonly Filter[]; fields: ShelfToolbarProps['fields'] }) {
  const set = filters.filter(({ value }) => value !== '')
  if (set.length === 0 && !fields?.set) return null
  return (
    <div className="mt-2 flex flex-wrap items-center gap-1.5">
      {set.map(({ label, icon, value, options, onChange }) => (
        <Chip
          key={label}
          icon={icon}
          name={label}
          value={options.find((option) => option.value === value)?.label ?? value}
          onRemove={() => onChange('')}
        />
      ))}
      {fields && fields.set > 0 ? (
        <Chip icon={Columns2} name={t('Fields')} value={formatNumber(fields.set)} onRemove={fields.onClear} />
      ) : null}
    </div>
  )
}

/** The shelf's filters and order. */
function filtersOf({ vocabulary, fields, search, onSearch }: ShelfToolbarProps): Filter[] {
  return [
    ...filterMenus(SHELF_FILTERS, search, vocabulary, onSearch),
    {
      label: t('Order'),
      icon: ArrowDownWideNarrow,
      value: fieldSort(search.sort) && fields ? (search.sort ?? '') : orderOf(search.sort).value,
      options: [...translated(SORTS), ...(fields?.orders ?? [])],
      onChange: (sort: string) => onSearch({ sort: SORTS.find(({ value }) => value === sort)?.value ?? sort }),
    },
  ]
}

type AddMenuProps = Pick<ShelfToolbarProps, 'onPick' | 'onPickFolder' | 'onWrite' | 'onLink' | 'onImport' | 'onRequest'>

function AddMenu({ onPick, onPickFolder, onWrite, onLink, onImport, onRequest }: AddMenuProps) {
  return (
    <Menu
      trigger={
        <Button icon={Plus} look="primary">
          {t('Add')}
        </Button>
      }
    >
      <MenuItem icon={Upload} onSelect={onPick}>
        {t('Files…')}
      </MenuItem>
      {onPickFolder ? (
        <MenuItem icon={FolderUp} onSelect={onPickFolder}>
          {t('A folder…')}
        </MenuItem>
      ) : null}
      <MenuItem icon={Link2} onSelect={onLink}>
        {t('A link…')}
      </MenuItem>
      <MenuItem icon={NotebookPen} onSelect={onWrite}>
        {t('A note…')}
      </MenuItem>
      {onImport ? (
        <MenuItem icon={Import} onSelect={onImport}>
          {t('Import…')}
        </MenuItem>
      ) : null}
      {onRequest ? (
        <MenuItem icon={Inbox} onSelect={onRequest}>
          {t('Request files…')}
        </MenuItem>
      ) : null}
    </Menu>
  )
}
