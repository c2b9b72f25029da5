import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { UserPlus, UserSearch, Users as UsersIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Checkbox, Input, SearchInput, Select, TextArea } from '../components/field.tsx'
import { SelectFilter } from '../components/filters.tsx'
import { FormDialog } from '../components/form-dialog.tsx'
import { PageLink } from '../components/link.tsx'
import { Page } from '../components/page.tsx'
import { Empty } from '../components/states.tsx'
import { createUser, inviteUser, useUserChange } from '../features/users/mutations.ts'
import { STATES, type User, userCountQuery } from '../features/users/queries.ts'
import { UserList } from '../features/users/user-list.tsx'
import { count, counted } from '../lib/format.ts'
import { parseObject } from '../lib/json-source.ts'
import { useSearchChange } from '../lib/state.ts'

const route = getRouteApi('/users')

export function Users() {
  const { search = '', provider, state, add } = route.useSearch()
  const navigate = route.useNavigate()
  const filter = { search, provider, state }
  const { data } = useQuery(userCountQuery(filter))
  const change = useSearchChange()
  const isFiltered = search !== '' || provider !== undefined || state !== undefined
  return (
    <Page
      title="Users"
      subtitle={
        data ? (isFiltered ? `${count(data.found)} of ${counted(data.all, 'user')}` : counted(data.all, 'user')) : null
      }
      actions={
        <>
          <SearchField search={search} onChange={(text) => change({ search: text || undefined })} />
          <SelectFilter
            name="provider"
            label="Provider"
            none="Any provider"
            options={[...new Set([...(data?.providers ?? []), ...(provider ? [provider] : [])])]}
          />
          <SelectFilter name="state" label="State" none="Any state" options={Object.keys(STATES)} />
          <PageLink to="/users/token">Check a token</PageLink>
          <Button icon={UserPlus} look="primary" onClick={() => change({ add: true })}>
            Add user
          </Button>
        </>
      }
    >
      {data?.found === 0 ? (
        isFiltered ? (
          <Empty
            icon={UserSearch}
            title="No matching users"
            action={<Button onClick={() => void navigate({ search: {} })}>Show all users</Button>}
          >
            The search finds parts of addresses, phone numbers and names, and the beginning of ids.
          </Empty>
        ) : (
          <Empty
            icon={UsersIcon}
            title="There are no users yet"
            action={
              <Button look="primary" onClick={() => change({ add: true })}>
                Add user
              </Button>
            }
          >
            Users appear here when they sign up in your app. You can also add one, or invite someone by email.
          </Empty>
        )
      ) : (
        <UserList key={JSON.stringify(filter)} filter={filter} />
      )}
      {add ? (
        <CreateUser
          onCreated={({ id }) => void navigate({ to: '/users/$id', params: { id } })}
          onClose={() => change({ add: undefined })}
        />
      ) : null}
    </Page>
  )
}

/** Milliseconds to wait after a key press before searching. */
const PAUSE = 250

function SearchField({ search, onChange }: { search: string; onChange: (search: string) => void }) {
  const [text, setText] = useState(search)
  const [sent, setSent] = useState(search)
  // The address was changed elsewhere.
  if (sent !== search) {
    setSent(search)
    setText(search)
  }
  useEffect(() => {
    if (text.trim() === search) return
    const timer = setTimeout(() => {
      setSent(text.trim())
      onChange(text.trim())
    }, PAUSE)
    return () => clearTimeout(timer)
  })
  return (
    <SearchInput
      label="Search users"
      placeholder="Email, phone, name or id"
      className="w-56!"
      value={text}
      onValue={setText}
    />
  )
}

type CreateUserProps = { onCreated: (user: User) => void; onClose: () => void }

/** Creates a user with a password, or invites one by mail. */
function CreateUser({ onCreated, onClose }: CreateUserProps) {
  const [way, setWay] = useState<'password' | 'invitation'>('password')
  const [isConfirmed, setIsConfirmed] = useState(true)
  const [text, setText] = useState({ email: '', phone: '', password: '', metadata: '' })
  const creation = useUserChange<void, User>(
    async () => {
      const user_metadata = parseObject(text.metadata)
      const email = text.email.trim()
      if (way === 'invitation') return inviteUser(email, user_metadata)
      const phone = text.phone.trim()
      return createUser({
        ...(email && { email, email_confirm: isConfirmed }),
        ...(phone && { phone, phone_confirm: isConfirmed }),
        ...(text.password && { password: text.password }),
        user_metadata,
      })
    },
    way === 'invitation' ? 'The user is created, and the invitation is sent.' : 'The user is created.',
  )
  const field = (name: keyof typeof text) => ({
    value: text[name],
    onValue: (value: string) => setText({ ...text, [name]: value }),
  })
  return (
    <FormDialog
      title="Add a user"
      action={way === 'invitation' ? 'Send the invitation' : 'Create user'}
      mutation={{ ...creation, mutate: () => creation.mutate(undefined, { onSuccess: onCreated }) }}
      onClose={onClose}
    >
      <Select
        label="How"
        value={way}
        onValue={(value) => setWay(value as typeof way)}
        options={[
          ['password', 'With a password'],
          ['invitation', 'By an invitation email'],
        ]}
      />
      <Input label="Email" type="email" {...field('email')} />
      {way === 'password' ? (
        <>
          <Input
            label="Phone"
            hint="With the country's code, such as +4915112345678. A user needs an email or a phone."
            type="tel"
            {...field('phone')}
          />
          <Input
            label="Password"
            hint="Without one, the user can only sign in by email or text message."
            type="password"
            autoComplete="new-password"
            {...field('password')}
          />
          <Checkbox label="Confirm the email and phone immediately" checked={isConfirmed} onChecked={setIsConfirmed} />
        </>
      ) : null}
      <TextArea
        label="User metadata"
        hint="A JSON object; the user can change it later. Empty for none."
        rows={3}
        className="font-mono text-xs"
        {...field('metadata')}
      />
    </FormDialog>
  )
}
