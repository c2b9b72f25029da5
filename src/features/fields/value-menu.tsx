import { Check } from 'lucide-react'
import * as Radix from 'radix-ui/dropdown-menu'
import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import { MENU, MENU_ITEM } from '../../components/menu-styles.ts'
import { namedValues, type Person } from '../../domain/field-conditions.ts'
import { type Field, type FieldInput, paintOf } from '../../domain/fields.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { classNames } from '../../lib/ui/class-names.ts'

type ValueMenuProps = {
  field: Field
  values: readonly string[]
  people: readonly Person[]
  open: boolean
  onOpen: (open: boolean) => void
  onTab: (event: KeyboardEvent) => void
  onSet: (value: FieldInput) => void
  trigger: ReactNode
}

/** Options or people to choose from. Stays open if the field takes several. */
export function ValueMenu({ field, values, people, open, onOpen, onTab, onSet, trigger }: ValueMenuProps) {
  const isLeft = useRef(false)
  const options = namedValues(field, people).map(({ id, name }) => ({
    id,
    name,
    paint: field.kind === 'choice' ? paintOf(field.options.find((option) => option.id === id)?.color ?? '') : undefined,
  }))
  const set = (id: string, on: boolean) => {
    if (!field.takes_several) onSet(on ? [id] : null)
    else onSet(on ? [...values, id] : values.filter((value) => value !== id))
  }
  return (
    <Radix.Root open={open} onOpenChange={onOpen}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          onKeyDown={(event) => {
            if (event.key !== 'Tab') return
            isLeft.current = true
            onTab(event)
          }}
          onCloseAutoFocus={(event) => {
            // Tab has already focused the next cell.
            if (isLeft.current) event.preventDefault()
            isLeft.current = false
          }}
          className={classNames(MENU, 'max-h-(--radix-dropdown-menu-content-available-height) min-w-48')}
        >
          <Radix.Label className="eyebrow px-2.5 pt-1.5 pb-1">{field.name}</Radix.Label>
          {options.map(({ id, name, paint }) => (
            <Radix.CheckboxItem
              key={id}
              checked={values.includes(id)}
              onCheckedChange={(on) => set(id, on)}
              onSelect={(event) => {
                if (field.takes_several) event.preventDefault()
              }}
              className={classNames(MENU_ITEM, 'relative ps-8')}
            >
              <Radix.ItemIndicator className="absolute start-2.5">
                <Check aria-hidden />
              </Radix.ItemIndicator>
              {paint ? (
                <span className={classNames('rounded-full px-2 py-0.5 font-medium text-xs', paint)}>{name}</span>
              ) : (
                name
              )}
            </Radix.CheckboxItem>
          ))}
          {options.length === 0 ? (
            <p className="px-2.5 py-1.5 text-ink-faint text-sm">{t('This field has no options yet.')}</p>
          ) : null}
          {values.length > 0 ? (
            <>
              <Radix.Separator className="my-1 h-px bg-line" />
              <Radix.Item onSelect={() => onSet(null)} className={classNames(MENU_ITEM, 'ps-8')}>
                {t('No value')}
              </Radix.Item>
            </>
          ) : null}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
