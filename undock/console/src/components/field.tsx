import clsx from 'clsx'
import { type ComponentProps, type ReactNode, useId } from 'react'

const CONTROL =
  'w-full rounded-md border border-line bg-raised px-2.5 text-[13px] text-ink placeholder:text-ink-faint focus-visible:border-accent'

type FieldProps = { label: string; hint?: ReactNode; children: (id: string) => ReactNode }

/** A control with a label above and a hint below. */
export function Field({ label, hint, children }: FieldProps) {
  const id = useId()
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

export const Input = ({ className, ...props }: ComponentProps<'input'>) => (
  <input spellCheck={false} autoComplete="off" {...props} className={clsx(CONTROL, 'h-8', className)} />
)

export const TextArea = ({ className, ...props }: ComponentProps<'textarea'>) => (
  <textarea spellCheck={false} {...props} className={clsx(CONTROL, 'py-1.5', className)} />
)

export const Select = ({ className, ...props }: ComponentProps<'select'>) => (
  <select {...props} className={clsx(CONTROL, 'h-8 pr-7', className)} />
)

export function Checkbox({ label, ...props }: Omit<ComponentProps<'input'>, 'type'> & { label: string }) {
  return (
    <label className="inline-flex items-center gap-2 text-[13px]">
      <input type="checkbox" {...props} className="size-4 accent-(--accent)" />
      {label}
    </label>
  )
}
