import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { t } from '../lib/i18n/i18n.ts'
import { Field, type ValueFieldProps } from './field.tsx'
import { Input } from './input.tsx'

type PasswordFieldProps = ValueFieldProps & Pick<ComponentProps<'input'>, 'autoComplete' | 'autoFocus'>

export function PasswordField({
  value,
  onValue,
  autoComplete = 'new-password',
  autoFocus,
  ...field
}: PasswordFieldProps) {
  const [shown, setShown] = useState(false)
  const Icon = shown ? EyeOff : Eye
  return (
    <Field {...field}>
      {(control) => (
        <span className="relative block">
          <Input
            {...control}
            type={shown ? 'text' : 'password'}
            autoComplete={autoComplete}
            autoFocus={autoFocus}
            required
            value={value}
            onChange={({ target }) => onValue(target.value)}
            className="pe-11"
          />
          <button
            type="button"
            aria-label={shown ? t('Hide password') : t('Show password')}
            onClick={() => setShown(!shown)}
            className="absolute inset-y-1 end-1 grid w-9 place-items-center rounded text-ink-faint hover:text-ink"
          >
            <Icon aria-hidden className="size-4" />
          </button>
        </span>
      )}
    </Field>
  )
}
