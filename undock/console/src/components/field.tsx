import clsx from 'clsx'
import { type ComponentProps, type ReactNode, useId } from 'react'

const CONTROL =
  'w-full rounded-md border border-line bg-raised px-2.5 text-[13px] text-ink placeholder:text-ink-faint focus-visible:border-accent'

type FieldProps = { label: string | undefined; hint?: ReactNode; children: (id: string) => ReactNode }

/** A control with a label above and a hint below, or by itself. */
export function Field({ label, hint, children }: FieldProps) {
  const id = useId()
  if (label === undefined) return children(id)
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="font-medium text-[13px] text-ink-soft">
        {label}
      </label>
      {children(id)}
      {hint ? <p className="text-ink-faint text-xs">{hint}</p> : null}
    </div>
  )
}

type ControlProps = {
  /** Shown above the control, with the hint below. Without a label, give it an `aria-label`. */
  label?: string | undefined
  hint?: ReactNode
  onValue?: (value: string) => void
}

type InputProps = Omit<ComponentProps<'input'>, 'list'> &
  ControlProps & {
    /** Values that the browser suggests; others are allowed. */
    suggestions?: readonly string[]
  }

export function Input({ label, hint, onValue, className, suggestions, ...props }: InputProps) {
  const list = useId()
  return (
    <Field label={label} hint={hint}>
      {(id) => (
        <>
          <input
            spellCheck={false}
            autoComplete="off"
            onChange={onValue && (({ target }) => onValue(target.value))}
            {...props}
            id={props.id ?? id}
            list={suggestions && list}
            className={clsx(CONTROL, 'h-8', className)}
          />
          {suggestions ? (
            <datalist id={list}>
              {suggestions.map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
          ) : null}
        </>
      )}
    </Field>
  )
}

/** Its label is also its placeholder. */
export const SearchInput = ({ label, ...props }: InputProps & { label: string }) => (
  <Input type="search" aria-label={label} placeholder={label} {...props} />
)

type TextAreaProps = ComponentProps<'textarea'> & ControlProps

export function TextArea({ label, hint, onValue, className, ...props }: TextAreaProps) {
  return (
    <Field label={label} hint={hint}>
      {(id) => (
        <textarea
          spellCheck={false}
          onChange={onValue && (({ target }) => onValue(target.value))}
          {...props}
          id={props.id ?? id}
          className={clsx(CONTROL, 'py-1.5', className)}
        />
      )}
    </Field>
  )
}

type SelectProps = ComponentProps<'select'> &
  ControlProps & {
    /** Replaces the children: values, with their labels if those differ. */
    options?: readonly (string | readonly [value: string | number, text: string])[]
    /** The label of a first option with an empty value. */
    none?: string | undefined
  }

export function Select({ label, hint, onValue, options, none, children, className, ...props }: SelectProps) {
  return (
    <Field label={label} hint={hint}>
      {(id) => (
        <select
          onChange={onValue && (({ target }) => onValue(target.value))}
          {...props}
          id={props.id ?? id}
          className={clsx(CONTROL, 'h-8 pr-7', className)}
        >
          {none === undefined ? null : <option value="">{none}</option>}
          {options?.map((option) => {
            const [value, text] = typeof option === 'string' ? [option, option] : option
            return (
              <option key={value} value={value}>
                {text}
              </option>
            )
          }) ?? children}
        </select>
      )}
    </Field>
  )
}

type FormProps = Omit<ComponentProps<'form'>, 'onSubmit'> & { onSubmit: (form: HTMLFormElement) => void }

/** A form submitted by the page's own code. */
export const Form = ({ onSubmit, ...props }: FormProps) => (
  <form
    {...props}
    onSubmit={(event) => {
      event.preventDefault()
      onSubmit(event.currentTarget)
    }}
  />
)

type CheckboxProps = Omit<ComponentProps<'input'>, 'type' | 'onChange'> & {
  label: string
  onChecked: (isChecked: boolean) => void
}

export function Checkbox({ label, onChecked, ...props }: CheckboxProps) {
  return (
    <label className="inline-flex items-center gap-2 text-[13px]">
      <input
        type="checkbox"
        {...props}
        onChange={({ target }) => onChecked(target.checked)}
        className="size-4 accent-accent"
      />
      {label}
    </label>
  )
}
