import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '../lib/i18n/i18n.ts'
import { useMediaQuery } from '../lib/ui/window.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { SelectField } from './select.tsx'

export type Filter = {
  label: string
  icon: LucideIcon
  value: string
  options: readonly { value: string; label: string }[]
  onChange: (value: string) => void
}

type FilterSheetProps = {
  open: boolean
  onOpenChange: (open: boolean) => void
  filters: readonly Filter[]
  children?: ReactNode
}

export function FilterSheet({ open, onOpenChange, filters, children }: FilterSheetProps) {
  const isWide = useMediaQuery('(min-width: 40rem)')
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t('Filter')} shape={isWide ? 'panel' : 'sheet'}>
      <div className="grid gap-4 sm:grid-cols-2">
        {filters.map(({ label, value, options, onChange }) => (
          <SelectField key={label} label={label} value={value} options={options} onValue={onChange} />
        ))}
        <div className="col-span-full grid gap-4 empty:hidden">{children}</div>
        <Button look="primary" className="sticky bottom-0 col-span-full" onClick={() => onOpenChange(false)}>
          {t('Done')}
        </Button>
      </div>
    </Dialog>
  )
}
