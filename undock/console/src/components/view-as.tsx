import { useQuery } from '@tanstack/react-query'
import { Eye } from 'lucide-react'
import { useId } from 'react'
import { readJson } from '../lib/api.ts'
import { Input } from './field.tsx'

type ViewAsProps = {
  value: string | undefined
  onChange: (as: string | undefined) => void
  label?: string
  /** Whose rights count when nobody is chosen. */
  otherwise?: string
  /** Names to choose from, besides those of users. */
  roles?: readonly string[]
}

const ROLES = ['anon', 'authenticated', 'service_role']

/** Chooses whose rights count: the owner's of the project, a role's or a user's. */
export function ViewAs({
  value,
  onChange,
  label = 'View as',
  otherwise = 'postgres (all rights)',
  roles = ROLES,
}: ViewAsProps) {
  const list = useId()
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
    <div className="flex items-center gap-1.5 whitespace-nowrap text-ink-soft text-xs">
      <Eye aria-hidden className="size-4" />
      <span aria-hidden>{label}</span>
      <Input
        key={value}
        list={list}
        defaultValue={value ?? ''}
        placeholder={otherwise}
        aria-label={`${label} a role or user`}
        className="w-48"
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur()
        }}
        onBlur={({ target }) => onChange(target.value.trim() || undefined)}
      />
      <datalist id={list}>
        {[...roles, ...(users.data ?? [])].map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </div>
  )
}
