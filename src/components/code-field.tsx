import { latinDigits } from '../lib/i18n/digits.ts'
import { TextField, type ValueFieldProps } from './field.tsx'

/** A field for a six-digit code, which takes the focus. Strips spaces and dashes from pasted codes. */
export const CodeField = ({ onValue, ...field }: ValueFieldProps) => (
  <TextField
    {...field}
    inputMode="numeric"
    autoComplete="one-time-code"
    required
    autoFocus
    maxLength={12}
    onValue={(text) => onValue(latinDigits(text).replaceAll(/\D/g, '').slice(0, 6))}
    dir="ltr"
    className="h-12 text-center font-medium text-xl tabular-nums tracking-[0.4em]"
  />
)
