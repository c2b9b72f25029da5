import { useQuery } from '@tanstack/react-query'
import { Eye } from 'lucide-react'
import type { ComponentProps } from 'react'
import { readJson } from '../lib/api.ts'
import { Input } from './field.tsx'

const ROLES = ['anon', 'authenticated', 'service_role']

type CallerInputProps = Omit<ComponentProps<typeof Input>, 'value' | 'onChange'> & {
  value: string | undefined
  onChange: (caller: string | undefined) => void
  /** Choices in addition to users. */
  roles?: readonly string[]
}

/** Accepts a role, or a user by id, address or phone number, on blur or Enter. */
export function CallerInput({ value, onChange, roles = ROLES, ...props }: CallerInputProps) {
  const users = useQuery({
    queryKey: ['users', 'addresses'],
    queryFn: ({ signal }) =>
      readJson<string>(
        "select to_json(coalesce(nullif(email, ''), nullif(phone, ''), id::text)) from auth.users order by created_at desc limit 100",
        [],
        { signal },
      ),
  })
  return (
    <Input
      key={value}
      {...props}
      suggestions={[...roles, ...(users.data ?? [])]}
      defaultValue={value ?? ''}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur()
      }}
      onBlur={({ target }) => onChange(target.value.trim() || undefined)}
    />
  )
}

type ViewAsProps = Pick<CallerInputProps, 'value' | 'onChange' | 'roles'> & {
  label?: string
  /** The label of the default caller. */
  otherwise?: string
}

/** Chooses whose rights apply: the project owner's, a role's or a user's. */
export function ViewAs({ label = 'View as', otherwise = 'postgres (all rights)', ...caller }: ViewAsProps) {
  return (
    <div className="flex items-center gap-1.5 whitespace-nowrap text-ink-soft text-xs">
      <Eye aria-hidden className="size-4" />
      <span aria-hidden>{label}</span>
      <CallerInput {...caller} placeholder={otherwise} aria-label={`${label} a role or user`} className="w-48" />
    </div>
  )
}
