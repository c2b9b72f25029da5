import { useId } from 'react'
import { Checkbox, Input, Select, TextArea } from '../../components/field.tsx'
import { keyOf, SECRET_FILE, type SettingValue, type ShownSetting } from './settings.ts'

type SettingFieldProps = {
  setting: ShownSetting
  /** The user's choice; undefined for the file's value, null for the default. */
  draft: SettingValue | null | undefined
  disabled: boolean
  onChange: (value: SettingValue | null) => void
}

type SecretProps = {
  /** The variables' values to write. */
  secrets: Readonly<Record<string, string>>
  onSecret: (name: string, value: string) => void
}

const REFERENCE = /^env\((.*)\)$/

/** A setting's control, by its kind. */
export function SettingField({
  setting,
  draft,
  disabled,
  onChange,
  secrets,
  onSecret,
}: SettingFieldProps & SecretProps) {
  const { kind, label, value, fallback, variable, choices = [] } = setting
  const hintId = useId()
  const current = draft === null ? fallback : (draft ?? value ?? fallback)
  const hint = (
    <>
      <code className="font-mono">{keyOf(setting)}</code>
      {setting.isLive ? '' : ', from the next start'}
      {variable === null ? '' : `; ${variable} of the environment overrides it`}
      {value !== null && draft !== null && !disabled ? (
        <>
          {' · '}
          <button
            type="button"
            className="underline hover:text-ink"
            aria-label={`Use the default of ${label}`}
            onClick={() => onChange(null)}
          >
            use the default
          </button>
        </>
      ) : draft === null ? (
        ', the default again'
      ) : null}
    </>
  )
  const isReference = kind !== 'secret' && typeof value === 'string' && REFERENCE.test(value)
  const isOff = disabled || variable !== null || isReference
  if (isReference) return <Input label={label} hint={hint} disabled value={value} />
  if (kind === 'flag')
    return (
      <div>
        <Checkbox
          label={label}
          checked={current === true}
          disabled={isOff}
          aria-describedby={hintId}
          onChecked={onChange}
        />
        <p id={hintId} className="pl-6 text-ink-faint text-xs">
          {hint}
        </p>
      </div>
    )
  if (kind === 'secret') {
    const name = typeof current === 'string' ? (REFERENCE.exec(current)?.[1] ?? '') : ''
    return (
      <div className="grid gap-2 sm:grid-cols-2">
        <Input
          label={`${label} (${secretState(value)})`}
          hint={<>{hint}: the name of the variable that holds it</>}
          disabled={isOff}
          pattern="[A-Za-z_][A-Za-z0-9_]*"
          title="Letters, digits and underscores"
          value={name}
          onValue={(value) => onChange(`env(${value})`)}
        />
        <Input
          label={`Value of ${name || 'the variable'}`}
          hint={`Saved in ${SECRET_FILE}, and never shown`}
          type="password"
          autoComplete="new-password"
          disabled={isOff || name === ''}
          value={secrets[name] ?? ''}
          onValue={(value) => onSecret(name, value)}
        />
      </div>
    )
  }
  const field = { label, hint, disabled: isOff, value: String(current) }
  if (kind === 'choice')
    return (
      <Select
        {...field}
        onValue={onChange}
        options={choices.map((choice) => [choice, choice === '' ? 'Anything' : choice.replaceAll('_', ', ')])}
      />
    )
  if (kind === 'list')
    return (
      <TextArea
        {...field}
        rows={3}
        placeholder="One per line"
        value={Array.isArray(current) ? current.join('\n') : String(current)}
        onValue={(value) => onChange(value === '' ? [] : value.split('\n'))}
      />
    )
  if (kind !== 'count') return <Input {...field} onValue={onChange} />
  const setCount = (value: string) => onChange(value === '' ? '' : Number(value))
  return <Input {...field} type="number" min={0} step={1} required onValue={setCount} />
}

const secretState = (value: SettingValue | null): string =>
  value === null ? 'not set' : value === true ? 'set in the file' : `set: ${String(value)}`
