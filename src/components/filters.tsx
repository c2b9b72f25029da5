import { SlidersHorizontal } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { formatNumber } from '../lib/i18n/format.ts'
import { t } from '../lib/i18n/i18n.ts'
import { Badge } from './badge.tsx'
import { Button } from './button.tsx'
import type { Filter } from './filter-sheet.tsx'
import { Menu, MenuChoice } from './menu.tsx'

const FilterSheet = lazy(() => import('./filter-sheet.tsx').then((it) => ({ default: it.FilterSheet })))

/** One menu for each filter, for screens that are wide enough. */
export function FilterMenus({ filters }: { filters: readonly Filter[] }) {
  return filters.map(({ label, icon: Icon, value, options, onChange }) => (
    <Menu
      key={label}
      label={label}
      align="start"
      trigger={
        <Button size="small" look="quiet" className="max-w-56 px-2">
          <Icon aria-hidden />
          <span dir="auto" className="truncate">
            {options.find((option) => option.value === value)?.label}
          </span>
        </Button>
      }
    >
      <MenuChoice value={value} onChange={onChange} options={options} />
    </Menu>
  ))
}

type FilterButtonProps = {
  filters: readonly Filter[]
  /** Filters of another kind, below the others, and how many of them are set. */
  more?: { list: ReactNode; set: number } | undefined
  className?: string
}

/** All filters in one sheet, for narrow screens. The button says how many of them are set. */
export function FilterButton({ filters, more, className }: FilterButtonProps) {
  // Undefined until it is opened first, so that the sheet is loaded then.
  const [isOpen, setOpen] = useState<boolean>()
  const set =
    (more?.set ?? 0) +
    filters.filter(({ value, options }) => value !== '' && options.some((option) => option.value === '')).length
  return (
    <>
      <Button size="small" className={className} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <SlidersHorizontal aria-hidden />
        {t('Filters')}
        {set > 0 ? <Badge tone="accent">{formatNumber(set)}</Badge> : null}
      </Button>
      <Suspense fallback={null}>
        {isOpen === undefined ? null : (
          <FilterSheet open={isOpen} onOpenChange={setOpen} filters={filters}>
            {more?.list}
          </FilterSheet>
        )}
      </Suspense>
    </>
  )
}
