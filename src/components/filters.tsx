import { type LucideIcon, SlidersHorizontal, X } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { formatNumber } from '../lib/i18n/format.ts'
import { t } from '../lib/i18n/i18n.ts'
import { Opening } from '../lib/ui/typed-ahead.ts'
import { Badge } from './badge.tsx'
import { Button, IconButton } from './button.tsx'
import type { Filter } from './filter-sheet.tsx'
import { Menu, MenuChoice } from './menu.tsx'

const FilterSheet = lazy(() => import('./filter-sheet.tsx').then((it) => ({ default: it.FilterSheet })))

export function FilterMenus({ filters }: { filters: readonly Filter[] }) {
  return filters.map(({ label, icon: Icon, value, options, onChange }) => (
    <span key={label} ref={keepFocus} className="contents">
      <Menu
        label={label}
        align="start"
        trigger={
          <Button icon={Icon} size="small" look="quiet" className="max-w-56 px-2">
            <span dir="auto" className="truncate">
              {options.find((option) => option.value === value)?.label}
            </span>
          </Button>
        }
      >
        <MenuChoice value={value} onChange={onChange} options={options} />
      </Menu>
    </span>
  ))
}

type FilterButtonProps = {
  filters: readonly Filter[]
  more?: { list: ReactNode; set: number } | undefined
  className?: string
}

/** A button with the number of set filters, which opens them all. */
export function FilterButton({ filters, more, className }: FilterButtonProps) {
  // Undefined until first opened, so that the sheet is loaded then.
  const [isOpen, setOpen] = useState<boolean>()
  const set =
    (more?.set ?? 0) +
    filters.filter(({ value, options }) => value !== '' && options.some((option) => option.value === '')).length
  return (
    <>
      <Button
        icon={SlidersHorizontal}
        size="small"
        className={className}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {t('Filter')}
        {set > 0 ? <Badge tone="accent">{formatNumber(set)}</Badge> : null}
      </Button>
      <Suspense fallback={<Opening />}>
        {isOpen === undefined ? null : (
          <FilterSheet open={isOpen} onOpenChange={setOpen} filters={filters}>
            {more?.list}
          </FilterSheet>
        )}
      </Suspense>
    </>
  )
}

type ChipProps = { icon: LucideIcon; name: string; value: string; onRemove: () => void }

export function Chip({ icon: Icon, name, value, onRemove }: ChipProps) {
  return (
    <span className="inline-flex max-w-full items-center gap-1.5 rounded-full bg-accent-soft ps-3 text-accent-strong text-sm">
      <Icon aria-hidden className="size-3.5 shrink-0" />
      <span className="min-w-0 truncate">
        <span className="text-xs">{name}:</span> <bdi>{value}</bdi>
      </span>
      <IconButton
        icon={X}
        label={t('Remove {field}: {value}', { field: name, value })}
        onClick={({ currentTarget }) => {
          focusNextTo(currentTarget, currentTarget.parentElement)
          onRemove()
        }}
        className="rounded-full text-accent-strong"
      />
    </span>
  )
}

/** Moves the focus to a button next to a chip's or menu's, which is about to disappear. */
function focusNextTo(button: HTMLButtonElement, item: HTMLElement | null): void {
  const all = item?.parentElement?.querySelectorAll('button') ?? []
  const shown = [...all].filter((one) => one.checkVisibility())
  const place = shown.indexOf(button)
  shown.at(place > 0 ? place - 1 : 1)?.focus()
}

/** Chosen filters may become chips, which removes their menus. */
const keepFocus = (menu: HTMLSpanElement) => () => {
  const button = menu.querySelector('button')
  const { activeElement, body } = document
  if (button && (activeElement === button || activeElement === body)) focusNextTo(button, menu.parentElement)
}
