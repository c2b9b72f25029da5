import { useQuery } from '@tanstack/react-query'
import { Eye } from 'lucide-react'
import { useId } from 'react'
import { readJson } from '../lib/api.ts'
import { Input } from './field.tsx'

type ViewAsProps = { value: string | undefined; onChange: (as: string | undefined) => void }

const ROLES = ['anon', 'authenticated', 'service_role']

/** Chooses whose rights count: the owner's of the project, a role's or a user's. */
export function ViewAs({ value, onChange }: ViewAsProps) {
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
      <span aria-hidden>View as</span>
      <Input
        key={value}
        list={list}
        defaultValue={value ?? ''}
        placeholder="postgres (all rights)"
        aria-label="View as a role or user"
        className="w-48"
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur()
        }}
        onBlur={({ target }) => onChange(target.value.trim() || undefined)}
      />
      <datalist id={list}>
        {[...ROLES, ...(users.data ?? [])].map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </div>
  )
}
