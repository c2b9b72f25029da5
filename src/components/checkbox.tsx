import type { ComponentProps, ReactNode } from 'react'
import { classNames } from '../lib/ui/class-names.ts'

/** A native checkbox in the app's colours. Give it an `aria-label` where no label is beside it. */
export function Checkbox({ className, ...props }: Omit<ComponentProps<'input'>, 'type'>) {
  return <input type="checkbox" className={classNames('size-4.5 shrink-0 accent-(--accent)', className)} {...props} />
}

type LabelledCheckboxProps = {
  checked: boolean
  onChange: (checked: boolean) => void
  className?: string
  children: ReactNode
}

/** A checkbox with its label beside it, which can be clicked, too. */
export function LabelledCheckbox({ checked, onChange, className, children }: LabelledCheckboxProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is inside
    <label className={classNames('flex items-center gap-2.5 text-sm', className)}>
      <Checkbox checked={checked} onChange={({ target }) => onChange(target.checked)} />
      {children}
    </label>
  )
}
