import type { LucideIcon } from 'lucide-react'
import {
  ArrowDownWideNarrow,
  Calendar,
  CalendarDays,
  FolderUp,
  LayoutGrid,
  Link2,
  List,
  NotebookPen,
  PenLine,
  Plus,
  Shapes,
  Upload,
  UserRound,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../../components/button.tsx'
import { Menu, MenuChoice, MenuItem } from '../../../components/menu.tsx'
import { Segmented } from '../../../components/segmented.tsx'
import { countDocuments } from '../../../domain/counts.ts'
import { msg, t, translated } from '../../../lib/i18n/i18n.ts'
import { orderOf, type ShelfSearch, SORTS } from './shelf-search.ts'

const KINDS = [
  { value: 'all', label: msg('Every kind') },
  { value: 'file', label: msg('Files') },
  { value: 'note', label: msg('Notes') },
  { value: 'link', label: msg('Links') },
] as const

const TIMES = [
  { value: 'any', label: msg('Any time') },
  { value: 'week', label: msg('The last week') },
  { value: 'month', label: msg('The last month') },
  { value: 'year', label: msg('The last year') },
] as const

type ShelfToolbarProps = {
  title: string
  /** The path to the open collection. */
  above: ReactNode
  total: number | null
  people: readonly { id: string; name: string }[]
  authors: readonly string[]
  years: readonly number[]
  canEdit: boolean
  search: ShelfSearch
  onSearch: (change: Partial<ShelfSearch>) => void
  onPick: () => void
  onPickFolder: () => void
  onWrite: () => void
  onLink: () => void
}

export function ShelfToolbar(props: ShelfToolbarProps) {
  const { title, above, total, people, authors, years, canEdit, search, onSearch, ...add } = props
  const order = orderOf(search.sort)
  const everybody = [
    { value: 'all', label: t('Everybody') },
    ...people.map(({ id, name }) => ({ value: id, label: name })),
  ]
  return (
    <div className="mb-6 flex flex-wrap items-end gap-x-3 gap-y-3">
      <div className="min-w-0 flex-1">
        {above}
        <h1 className="truncate font-semibold font-serif text-[1.75rem] leading-tight tracking-tight">{title}</h1>
        <p className="min-h-5 text-ink-faint text-sm" aria-live="polite">
          {total === null ? '' : countDocuments(total)}
        </p>
      </div>
      <div className="order-last flex basis-full items-start justify-between gap-2 sm:order-none sm:basis-auto sm:items-center">
        <div className="-ml-3 flex min-w-0 flex-wrap items-center gap-1 sm:ml-0">
          <Menu
            label={t('Kind')}
            trigger={
              <Button size="small" look="quiet">
                <Shapes aria-hidden />
                {t(KINDS.find(({ value }) => value === search.kind)?.label ?? KINDS[0].label)}
              </Button>
            }
          >
            <MenuChoice
              value={search.kind ?? 'all'}
              onChange={(kind) => onSearch({ kind: kind === 'all' ? undefined : kind })}
              options={translated(KINDS)}
            />
          </Menu>
          {people.length > 1 || search.person ? (
            <Menu
              label={t('Added by')}
              trigger={
                <Button size="small" look="quiet">
                  <UserRound aria-hidden />
                  {people.find(({ id }) => id === search.person)?.name ?? t('Everybody')}
                </Button>
              }
            >
              <MenuChoice
                value={search.person ?? 'all'}
                onChange={(person) => onSearch({ person: person === 'all' ? undefined : person })}
                options={everybody}
              />
            </Menu>
          ) : null}
          <Menu
            label={t('Added')}
            trigger={
              <Button size="small" look="quiet">
                <CalendarDays aria-hidden />
                {t(TIMES.find(({ value }) => value === search.since)?.label ?? TIMES[0].label)}
              </Button>
            }
          >
            <MenuChoice
              value={search.since ?? 'any'}
              onChange={(since) => onSearch({ since: since === 'any' ? undefined : since })}
              options={translated(TIMES)}
            />
          </Menu>
          <FacetMenu
            label={t('Author')}
            all={t('Every author')}
            icon={PenLine}
            value={search.author}
            values={authors}
            onChange={(author) => onSearch({ author })}
          />
          <FacetMenu
            label={t('Dated')}
            all={t('Any date')}
            icon={Calendar}
            value={search.dated}
            values={years.map((year) => String(year).padStart(4, '0'))}
            onChange={(dated) => onSearch({ dated })}
          />
          <Menu
            label={t('Order')}
            trigger={
              <Button size="small" look="quiet">
                <ArrowDownWideNarrow aria-hidden />
                {t(order.label)}
              </Button>
            }
          >
            <MenuChoice value={order.value} onChange={(sort) => onSearch({ sort })} options={translated(SORTS)} />
          </Menu>
        </div>
        <Segmented
          label={t('View')}
          value={search.view ?? 'grid'}
          onChange={(view) => onSearch({ view })}
          options={[
            { value: 'grid', label: t('Grid'), icon: LayoutGrid, iconOnly: true },
            { value: 'list', label: t('List'), icon: List, iconOnly: true },
          ]}
        />
      </div>
      {canEdit ? <AddMenu {...add} /> : null}
    </div>
  )
}

type FacetMenuProps = {
  label: string
  /** What is chosen while nothing is. */
  all: string
  icon: LucideIcon
  value: string | undefined
  values: readonly string[]
  onChange: (value: string | undefined) => void
}

/** Values that a menu lists; search completes the others. */
const MOST_IN_A_MENU = 100

/** A filter by what documents say of themselves; nothing where they do not say it. An address may have a value that is not listed. */
function FacetMenu({ label, all, icon: Icon, value, values, onChange }: FacetMenuProps) {
  const listed = [...new Set([...(value === undefined ? [] : [value]), ...values.slice(0, MOST_IN_A_MENU)])]
  if (listed.length === 0) return null
  return (
    <Menu
      label={label}
      trigger={
        <Button size="small" look="quiet" className="max-w-56">
          <Icon aria-hidden />
          <span className="truncate">{value ?? all}</span>
        </Button>
      }
    >
      <MenuChoice
        value={value ?? ''}
        onChange={(chosen) => onChange(chosen === '' ? undefined : chosen)}
        options={[{ value: '', label: all }, ...listed.map((one) => ({ value: one, label: one }))]}
      />
    </Menu>
  )
}

type AddMenuProps = Pick<ShelfToolbarProps, 'onPick' | 'onPickFolder' | 'onWrite' | 'onLink'>

function AddMenu({ onPick, onPickFolder, onWrite, onLink }: AddMenuProps) {
  return (
    <Menu
      trigger={
        <Button look="primary">
          <Plus aria-hidden />
          {t('Add')}
        </Button>
      }
    >
      <MenuItem onSelect={onPick}>
        <Upload aria-hidden />
        {t('Files…')}
      </MenuItem>
      <MenuItem onSelect={onPickFolder}>
        <FolderUp aria-hidden />
        {t('A folder…')}
      </MenuItem>
      <MenuItem onSelect={onLink}>
        <Link2 aria-hidden />
        {t('A link…')}
      </MenuItem>
      <MenuItem onSelect={onWrite}>
        <NotebookPen aria-hidden />
        {t('A note…')}
      </MenuItem>
    </Menu>
  )
}
