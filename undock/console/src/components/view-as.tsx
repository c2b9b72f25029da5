import { useQuery } from '@tanstack/react-query'
import { Eye } from 'lucide-react'
import { type ComponentProps, useId } from 'react'
import { readJson } from '../lib/api.ts'
import { Input } from './field.tsx'

type CallerInputProps = Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'list'> & {
  value: string | undefined
  onChange: (caller: string | undefined) => void
}

const ROLES = ['anon', 'authenticated', 'service_role']

/** Takes a role, or a user by id, address or phone number, when the field is left or Enter is pressed. */
export function CallerInput({ value, onChange, ...props }: CallerInputProps) {
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
    <>
      <Input
        key={value}
        {...props}
        list={list}
        defaultValue={value ?? ''}
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
    </>
  )
}

type ViewAsProps = { value: string | undefined; onChange: (as: string | undefined) => void }

/** Chooses whose rights count: the owner's of the project, a role's or a user's. */
export function ViewAs({ value, onChange }: ViewAsProps) {
  return (
    <div className="flex items-center gap-1.5 whitespace-nowrap text-ink-soft text-xs">
      <Eye aria-hidden className="size-4" />
      <span aria-hidden>View as</span>
      <CallerInput
        value={value}
        onChange={onChange}
        placeholder="postgres (all rights)"
        aria-label="View as a role or user"
        className="w-48"
      />
    </div>
  )
}
