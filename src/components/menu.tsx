import { Check } from 'lucide-react'
import { DropdownMenu as Radix } from 'radix-ui'
import type { ComponentProps, ReactNode } from 'react'
import { classNames } from '../lib/ui/class-names.ts'

type MenuProps = { trigger: ReactNode; label?: string; align?: 'start' | 'end'; children: ReactNode }

/** A list that opens over the page. */
export const MENU =
  'z-50 max-w-[calc(100vw-1rem)] animate-rise overflow-y-auto rounded-lg border border-line bg-surface p-1 shadow-lift'

export function Menu({ trigger, label, align = 'end', children }: MenuProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className={classNames(MENU, 'max-h-(--radix-dropdown-menu-content-available-height) min-w-48')}
        >
          {label ? <Radix.Label className="eyebrow px-2.5 pt-1.5 pb-1">{label}</Radix.Label> : null}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** An entry of a list that opens. */
export const MENU_ITEM =
  'flex min-h-9 cursor-pointer select-none items-center gap-2.5 rounded-md pe-2.5 base:ps-2.5 py-1.5 text-sm base:text-ink outline-none data-[disabled]:cursor-not-allowed data-[highlighted]:bg-hover data-[disabled]:opacity-50 [&_svg]:size-4 base:[&_svg]:text-ink-faint'

type MenuItemProps = ComponentProps<typeof Radix.Item> & { danger?: boolean }

export function MenuItem({ className, danger, ...props }: MenuItemProps) {
  return (
    <Radix.Item className={classNames(MENU_ITEM, danger && 'text-danger [&_svg]:text-danger', className)} {...props} />
  )
}

type MenuChoiceProps<Value extends string> = {
  value: Value
  onChange: (value: Value) => void
  options: readonly { value: Value; label: string }[]
}

export function MenuChoice<Value extends string>({ value, onChange, options }: MenuChoiceProps<Value>) {
  const choose = (chosen: string) => {
    const option = options.find((candidate) => candidate.value === chosen)
    if (option) onChange(option.value)
  }
  return (
    <Radix.RadioGroup value={value} onValueChange={choose}>
      {options.map((option) => (
        <Radix.RadioItem key={option.value} value={option.value} className={classNames(MENU_ITEM, 'ps-8 relative')}>
          <Radix.ItemIndicator className="absolute start-2.5">
            <Check aria-hidden />
          </Radix.ItemIndicator>
          {option.label}
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  )
}

export function MenuSeparator() {
  return <Radix.Separator className="my-1 h-px bg-line" />
}
