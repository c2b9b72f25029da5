import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { LogIn, Trash2, UserX } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { Page } from '../components/page.tsx'
import { Empty, Failure, Loading } from '../components/states.tsx'
import { Account } from '../features/users/account.tsx'
import { Ban } from '../features/users/ban.tsx'
import { DeleteUser } from '../features/users/delete-user.tsx'
import { Mails } from '../features/users/mails.tsx'
import { Metadata } from '../features/users/metadata.tsx'
import { type User, userQuery, userTitle } from '../features/users/queries.ts'
import { SignInAs } from '../features/users/sign-in-as.tsx'
import { Factors, Identities, Sessions } from '../features/users/sign-ins.tsx'
import { ApiError } from '../lib/api.ts'
import { time } from '../lib/format.ts'

const route = getRouteApi('/users/$id')

export function UserScreen() {
  const { id } = route.useParams()
  const { data, error, refetch } = useQuery(userQuery(id))
  if (data) return <UserPage user={data} />
  if (!error) return <Loading />
  if (error instanceof ApiError && error.code === 'user_not_found')
    return (
      <Empty
        icon={UserX}
        title="There is no such user"
        action={
          <Link to="/users" className="text-accent underline">
            Show all users
          </Link>
        }
      >
        No user has the id {id}; it may have been deleted.
      </Empty>
    )
  return <Failure error={error} onRetry={() => void refetch()} />
}

function UserPage({ user }: { user: User }) {
  const { dialog } = route.useSearch()
  const navigate = route.useNavigate()
  const open = (next: typeof dialog) => void navigate({ search: { dialog: next }, replace: true })
  const { id, email, phone, role, created_at, last_sign_in_at, deleted_at, is_anonymous } = user
  return (
    <Page
      title={userTitle(user)}
      subtitle={`created ${time(created_at)}, ${last_sign_in_at ? `last sign-in ${time(last_sign_in_at)}` : 'never signed in'}`}
      actions={
        <>
          <Link
            to="/policies/explain"
            search={{ as: email || id }}
            className="px-2 text-[13px] text-ink-soft hover:text-ink hover:underline"
          >
            Explain access
          </Link>
          <Button
            disabled={email === '' || deleted_at !== undefined}
            title={email === '' ? 'A session can be begun only for a user who has an email address.' : undefined}
            onClick={() => open('sign-in')}
          >
            <LogIn aria-hidden />
            Sign in as
          </Button>
          <Button look="danger" onClick={() => open('delete')}>
            <Trash2 aria-hidden />
            Delete
          </Button>
        </>
      }
    >
      <div className="mx-auto grid max-w-5xl gap-6 p-4 lg:grid-cols-2">
        <p className="flex flex-wrap items-center gap-x-3 text-[13px] text-ink-soft lg:col-span-2">
          <span className="flex items-center">
            <code className="font-mono text-xs">{id}</code>
            <CopyButton text={id} label="Copy the id" />
          </span>
          <span>role {role}</span>
          {is_anonymous ? <span>anonymous</span> : null}
          {deleted_at ? <span className="text-danger">deleted {time(deleted_at)}; the row was kept</span> : null}
        </p>
        {/* A change of the address elsewhere begins the form again. */}
        <Account key={`${email} ${phone}`} user={user} />
        <div className="grid content-start gap-6">
          <Mails user={user} />
          <Ban user={user} />
        </div>
        <Metadata user={user} />
        <div className="grid content-start gap-6">
          <Identities user={user} />
          <Factors user={user} />
        </div>
        <Sessions user={user} />
      </div>
      {dialog === 'sign-in' && email ? <SignInAs user={user} onClose={() => open(undefined)} /> : null}
      {dialog === 'delete' ? (
        <DeleteUser
          user={user}
          onDeleted={(isSoft) => (isSoft ? open(undefined) : void navigate({ to: '/users', replace: true }))}
          onClose={() => open(undefined)}
        />
      ) : null}
    </Page>
  )
}
