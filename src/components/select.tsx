import { Check, ChevronDown } from 'lucide-react'
import * as Radix from 'radix-ui/select'
import { classNames } from '../lib/ui/class-names.ts'
import { Field, type FieldControl, type ValueFieldProps } from './field.tsx'
import { CONTROL } from './input.tsx'
import { MENU, MENU_ITEM } from './menu-styles.ts'

type SelectProps<Value extends string> = FieldControl & {
  value: Value
  onValue: (value: Value) => void
  options: readonly { value: Value; label: string }[]
  className?: string
  'aria-label'?: string
}

/** A select styled like the app's menus. Opens by Enter, Space and arrow keys; typing jumps to matching values. */
export function Select<Value extends string>({ value, onValue, options, className, ...control }: SelectProps<Value>) {
  const chosen = options.findIndex((option) => option.value === value)
  return (
    // By position: Radix reserves the empty value.
    <Radix.Root
      value={chosen === -1 ? '' : String(chosen)}
      onValueChange={(position) => {
        const option = options[Number(position)]
        if (option && option.value !== value) onValue(option.value)
      }}
    >
      <Radix.Trigger
        {...control}
        className={classNames(
          CONTROL,
          'flex base:h-10 cursor-pointer items-center justify-between gap-2 text-start',
          className,
        )}
      >
        <span className="truncate">
          <Radix.Value />
        </span>
        <ChevronDown aria-hidden className="size-4 shrink-0 text-ink-faint" />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          position="popper"
          sideOffset={6}
          collisionPadding={8}
          className={classNames(
            MENU,
            'max-h-(--radix-select-content-available-height) min-w-(--radix-select-trigger-width)',
          )}
        >
          <Radix.Viewport>
            {options.map((option, position) => (
              <Radix.Item
                key={option.value}
                value={String(position)}
                className={classNames(MENU_ITEM, 'relative ps-8')}
              >
                <Radix.ItemIndicator className="absolute start-2.5">
                  <Check aria-hidden />
                </Radix.ItemIndicator>
                <Radix.ItemText>{option.label}</Radix.ItemText>
              </Radix.Item>
            ))}
          </Radix.Viewport>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

type SelectFieldProps<Value extends string> = ValueFieldProps<Value> & Pick<SelectProps<Value>, 'options' | 'className'>

export function SelectField<Value extends string>({ label, hint, error, aside, ...select }: SelectFieldProps<Value>) {
  return (
    <Field label={label} hint={hint} error={error} aside={aside}>
      {(control) => <Select {...control} {...select} />}
    </Field>
  )
}
