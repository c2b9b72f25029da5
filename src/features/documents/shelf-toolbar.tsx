import { ArrowDownWideNarrow, LayoutGrid, List, NotebookPen, Plus, Shapes, Upload } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Menu, MenuChoice, MenuItem } from '../../components/menu.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { plural } from '../../lib/format.ts'
import { orderOf, type ShelfSearch, SORTS } from './filter.ts'

const KINDS = [
  { value: 'all', label: 'Every kind' },
  { value: 'file', label: 'Files' },
  { value: 'note', label: 'Notes' },
  { value: 'link', label: 'Links' },
] as const

type ShelfToolbarProps = {
  title: string
  total: number
  search: ShelfSearch
  onSearch: (change: Partial<ShelfSearch>) => void
  onPick: () => void
  onWrite: () => void
}

export function ShelfToolbar({ title, total, search, onSearch, onPick, onWrite }: ShelfToolbarProps) {
  const order = orderOf(search.sort)
  return (
    <div className="mb-6 flex flex-wrap items-end gap-x-3 gap-y-3">
      <div className="min-w-0 flex-1">
        <h1 className="truncate font-semibold font-serif text-[1.75rem] leading-tight tracking-tight">{title}</h1>
        <p className="text-ink-faint text-sm">{plural(total, 'document')}</p>
      </div>
      <div className="order-last -ml-3 flex basis-[calc(100%+0.75rem)] items-center gap-1 sm:order-none sm:ml-0 sm:basis-auto">
        <Menu
          label="Kind"
          trigger={
            <Button size="small" look="quiet">
              <Shapes aria-hidden />
              {KINDS.find(({ value }) => value === search.kind)?.label ?? 'Every kind'}
            </Button>
          }
        >
          <MenuChoice
            value={search.kind ?? 'all'}
            onChange={(kind) => onSearch({ kind: kind === 'all' ? undefined : kind })}
            options={KINDS}
          />
        </Menu>
        <Menu
          label="Order"
          trigger={
            <Button size="small" look="quiet">
              <ArrowDownWideNarrow aria-hidden />
              {order.label}
            </Button>
          }
        >
          <MenuChoice value={order.value} onChange={(sort) => onSearch({ sort })} options={SORTS} />
        </Menu>
        <span className="ml-auto sm:ml-0" />
        <Segmented
          label="View"
          value={search.view ?? 'grid'}
          onChange={(view) => onSearch({ view })}
          options={[
            { value: 'grid', label: 'Grid', icon: LayoutGrid, iconOnly: true },
            { value: 'list', label: 'List', icon: List, iconOnly: true },
          ]}
        />
      </div>
      <div>
        <Menu
          trigger={
            <Button look="primary">
              <Plus aria-hidden />
              Add
            </Button>
          }
        >
          <MenuItem onSelect={onPick}>
            <Upload aria-hidden />
            Files…
          </MenuItem>
          <MenuItem onSelect={onWrite}>
            <NotebookPen aria-hidden />A note…
          </MenuItem>
        </Menu>
      </div>
    </div>
  )
}
