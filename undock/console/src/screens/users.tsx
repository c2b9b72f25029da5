import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { UserPlus, UserSearch, Users as UsersIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Input, Select } from '../components/field.tsx'
import { Page } from '../components/page.tsx'
import { Empty } from '../components/states.tsx'
import { CreateUser } from '../features/users/create-user.tsx'
import { STATES, type State, userCountQuery } from '../features/users/queries.ts'
import { UserList } from '../features/users/user-list.tsx'
import { count, counted } from '../lib/format.ts'

const route = getRouteApi('/users')

export function Users() {
  const { search = '', provider, state, add } = route.useSearch()
  const navigate = route.useNavigate()
  const filter = { search, provider, state }
  const { data } = useQuery(userCountQuery(filter))
  const change = (next: Partial<ReturnType<typeof route.useSearch>>) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true })
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
          <Select
            aria-label="Provider"
            className="w-40!"
            value={provider ?? ''}
            onChange={({ target }) => change({ provider: target.value || undefined })}
          >
            <option value="">Any provider</option>
            {[...new Set([...(data?.providers ?? []), ...(provider ? [provider] : [])])].map((one) => (
              <option key={one}>{one}</option>
            ))}
          </Select>
          <Select
            aria-label="State"
            className="w-36!"
            value={state ?? ''}
            onChange={({ target }) => change({ state: (target.value || undefined) as State | undefined })}
          >
            <option value="">Any state</option>
            {Object.keys(STATES).map((one) => (
              <option key={one}>{one}</option>
            ))}
          </Select>
          <Link to="/users/token" className="px-2 text-[13px] text-ink-soft hover:text-ink hover:underline">
            Check a token
          </Link>
          <Button look="primary" onClick={() => change({ add: true })}>
            <UserPlus aria-hidden />
            Add user
          </Button>
        </>
      }
    >
      {data?.found === 0 ? (
        isFiltered ? (
          <Empty
            icon={UserSearch}
            title="No user is like that"
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
            Users appear here when they sign up in your app. You can add one, too, or invite somebody by mail.
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

/** Milliseconds without a key before the search begins. */
const PAUSE = 250

function SearchField({ search, onChange }: { search: string; onChange: (search: string) => void }) {
  const [text, setText] = useState(search)
  const [sent, setSent] = useState(search)
  // The address has changed by other means than this field.
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
    <Input
      type="search"
      aria-label="Search users"
      placeholder="Email, phone, name or id"
      className="w-56!"
      value={text}
      onValue={setText}
    />
  )
}
