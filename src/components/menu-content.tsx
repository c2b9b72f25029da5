import { Check, type LucideIcon } from 'lucide-react'
import { Menu as Radix } from 'radix-ui/internal'
import { type ComponentProps, type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { classNames } from '../lib/ui/class-names.ts'
import { MENU, MENU_ITEM } from './menu-styles.ts'

type MenuContentProps = {
  open: boolean
  onOpenChange: (open: boolean) => void
  place: number | undefined
  trigger: RefObject<HTMLElement | null>
  id: string
  'aria-labelledby': string
  label: string | undefined
  align: 'start' | 'end'
  children: ReactNode
}

/** A menu's list, without Radix' trigger: the trigger is already on the page (menu.tsx). */
export function MenuContent({ open, onOpenChange, place, trigger, label, children, ...content }: MenuContentProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Anchor virtualRef={trigger} />
      <Radix.Portal>
        <Radix.Content
          {...content}
          sideOffset={6}
          collisionPadding={8}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            trigger.current?.focus()
          }}
          className={classNames(MENU, 'max-h-(--radix-popper-available-height) min-w-48')}
        >
          {place === undefined ? null : <FocusEntry place={place} />}
          {label ? <Radix.Label className="eyebrow px-2.5 pt-1.5 pb-1">{label}</Radix.Label> : null}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** Focuses an entry, or the last one. Radix only does so for keys it has seen, which were pressed before it loaded. */
function FocusEntry({ place }: { place: number }) {
  const mark = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    const entries = mark.current?.parentElement?.querySelectorAll<HTMLElement>('[role^=menuitem]:not([data-disabled])')
    entries?.item(Math.min(place, entries.length - 1))?.focus()
  }, [place])
  return <span ref={mark} hidden />
}

export type MenuItemProps = ComponentProps<typeof Radix.Item> & { icon?: LucideIcon; danger?: boolean }

export function MenuItem({ className, icon: Icon, danger, children, ...props }: MenuItemProps) {
  return (
    <Radix.Item className={classNames(MENU_ITEM, danger && 'text-danger [&_svg]:text-danger', className)} {...props}>
      {Icon ? (
        <>
          <Icon aria-hidden />
          {children}
        </>
      ) : (
        // Alone, because an item with `asChild` is its only child.
        children
      )}
    </Radix.Item>
  )
}

type MenuChoiceProps = {
  value: string
  onChange: (value: string) => void
  options: readonly { value: string; label: string }[]
}

export function MenuChoice({ value, onChange, options }: MenuChoiceProps) {
  return (
    <Radix.RadioGroup value={value} onValueChange={onChange}>
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
