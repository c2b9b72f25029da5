import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { t } from '../lib/i18n/i18n.ts'
import { classNames } from '../lib/ui/class-names.ts'
import { Input } from './input.tsx'

export function PasswordInput({ className, ...props }: Omit<ComponentProps<'input'>, 'type'>) {
  const [shown, setShown] = useState(false)
  const Icon = shown ? EyeOff : Eye
  return (
    <span className="relative block">
      <Input {...props} type={shown ? 'text' : 'password'} className={classNames('pe-11', className)} />
      <button
        type="button"
        aria-label={shown ? t('Hide password') : t('Show password')}
        onClick={() => setShown(!shown)}
        className="absolute inset-y-1 end-1 grid w-9 place-items-center rounded text-ink-faint hover:text-ink"
      >
        <Icon aria-hidden className="size-4" />
      </button>
    </span>
  )
}
