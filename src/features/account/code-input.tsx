import type { ComponentProps } from 'react'
import { Input } from '../../components/input.tsx'
import { latinDigits } from '../../lib/i18n/digits.ts'

type CodeInputProps = Omit<ComponentProps<'input'>, 'value' | 'onChange'> & {
  value: string
  onValue: (digits: string) => void
}

/** A six-digit code field. Strips spaces and dashes from pasted codes. */
export function CodeInput({ value, onValue, ...props }: CodeInputProps) {
  return (
    <Input
      {...props}
      inputMode="numeric"
      autoComplete="one-time-code"
      required
      maxLength={12}
      value={value}
      onChange={(event) => onValue(latinDigits(event.target.value).replaceAll(/\D/g, '').slice(0, 6))}
      dir="ltr"
      className="h-12 text-center font-medium text-xl tabular-nums tracking-[0.4em]"
    />
  )
}
