import * as Slot from 'radix-ui/slot'
import { type KeyboardEvent, type PointerEvent, type ReactNode, useId, useRef, useState } from 'react'
import { latePart } from '../lib/ui/late-part.ts'
import type { MenuItemProps } from './menu-content.tsx'

type MenuProps = { trigger: ReactNode; label?: string; align?: 'start' | 'end'; children: ReactNode }

/** The open menu, loaded when a person is about to open the first one. */
const content = latePart(() => import('./menu-content.tsx'))

/** A trigger and its menu of `MenuItem`, `MenuChoice` and `MenuSeparator`. */
export function Menu({ trigger, label, align = 'end', children }: MenuProps) {
  const element = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [place, setPlace] = useState<number>()
  const [isUsed, setUsed] = useState(false)
  const id = useId()
  const list = useId()
  const toggle = (open: boolean, at?: number) => {
    setPlace(at)
    setUsed(true)
    setOpen(open)
  }
  const parts = content.use(isUsed)
  return (
    <>
      <Slot.Root
        ref={element}
        id={id}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen && parts ? list : undefined}
        data-state={isOpen ? 'open' : 'closed'}
        onPointerEnter={content.prepare}
        onFocus={content.prepare}
        onPointerDown={(event: PointerEvent) => {
          if (event.button !== 0 || event.ctrlKey) return
          toggle(!isOpen)
          // Otherwise the trigger would take the focus from the list.
          if (!isOpen) event.preventDefault()
        }}
        onKeyDown={(event: KeyboardEvent) => {
          if (!['Enter', ' ', 'ArrowDown'].includes(event.key)) return
          event.preventDefault()
          // Count keys pressed before the list has loaded.
          if (isOpen && event.key === 'ArrowDown') setPlace((at = 0) => at + 1)
          else toggle(!isOpen, 0)
        }}
      >
        {trigger}
      </Slot.Root>
      {parts ? (
        <parts.MenuContent
          open={isOpen}
          onOpenChange={setOpen}
          place={place}
          trigger={element}
          id={list}
          aria-labelledby={id}
          label={label}
          align={align}
        >
          {children}
        </parts.MenuContent>
      ) : null}
    </>
  )
}

export function MenuItem(props: MenuItemProps) {
  const { MenuItem } = content.loaded()
  return <MenuItem {...props} />
}

type MenuChoiceProps<Value extends string> = {
  value: Value
  onChange: (value: Value) => void
  options: readonly { value: Value; label: string }[]
}

export function MenuChoice<Value extends string>({ value, onChange, options }: MenuChoiceProps<Value>) {
  const { MenuChoice } = content.loaded()
  const choose = (chosen: string) => {
    const option = options.find((candidate) => candidate.value === chosen)
    if (option) onChange(option.value)
  }
  return <MenuChoice value={value} onChange={choose} options={options} />
}

export function MenuSeparator() {
  return <hr className="my-1 h-px border-0 bg-line" />
}
