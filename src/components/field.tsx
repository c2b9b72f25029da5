import { type ComponentProps, type ReactNode, useId } from 'react'
import { Input, Textarea } from './input.tsx'

export type FieldControl = {
  id: string
  'aria-invalid'?: true
  'aria-describedby'?: string
}

export type FieldProps = {
  label: string
  hint?: ReactNode
  error?: string | undefined
  aside?: ReactNode
  children: (control: FieldControl) => ReactNode
}

/** A label, control, hint and error. `FieldControl` provides the control's ids. */
export function Field({ label, hint, error, aside, children }: FieldProps) {
  const id = useId()
  const described = [hint ? `${id}-hint` : undefined, error ? `${id}-error` : undefined].filter(Boolean).join(' ')
  return (
    <div className="grid grid-cols-[1fr_auto] items-baseline gap-x-3 gap-y-1.5">
      <label htmlFor={id} className="font-medium text-ink text-sm">
        {label}
      </label>
      <div className="col-span-2 grid gap-1.5">
        {children({
          id,
          ...(error ? { 'aria-invalid': true as const } : {}),
          ...(described ? { 'aria-describedby': described } : {}),
        })}
        {hint ? (
          <p id={`${id}-hint`} className="text-[0.8125rem] text-ink-faint">
            {hint}
          </p>
        ) : null}
        {error ? (
          <p id={`${id}-error`} role="alert" className="text-[0.8125rem] text-danger">
            {error}
          </p>
        ) : null}
      </div>
      {/* Last, so that Tab goes from field to field. */}
      {aside ? <div className="col-start-2 row-start-1">{aside}</div> : null}
    </div>
  )
}

/** Props of a field, with the value of its control. */
export type ValueFieldProps<Value extends string = string> = Omit<FieldProps, 'children'> & {
  value: Value
  onValue: (value: Value) => void
}

export function TextField({
  label,
  hint,
  error,
  aside,
  onValue,
  ...input
}: ValueFieldProps & Omit<ComponentProps<typeof Input>, 'onChange'>) {
  return (
    <Field label={label} hint={hint} error={error} aside={aside}>
      {(control) => <Input {...control} {...input} onChange={({ target }) => onValue(target.value)} />}
    </Field>
  )
}

export function TextareaField({
  label,
  hint,
  error,
  aside,
  onValue,
  ...textarea
}: ValueFieldProps & Omit<ComponentProps<typeof Textarea>, 'onChange'>) {
  return (
    <Field label={label} hint={hint} error={error} aside={aside}>
      {(control) => <Textarea {...control} {...textarea} onChange={({ target }) => onValue(target.value)} />}
    </Field>
  )
}
