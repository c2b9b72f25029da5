import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { LogIn, Trash2, UserX } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { TextArea } from '../components/field.tsx'
import { Page, Panel } from '../components/page.tsx'
import { Empty, Failure, Loading } from '../components/states.tsx'
import { Account, Ban, DeleteUser } from '../features/users/account.tsx'
import { MAILS, type Mail, metadataChange, sendMail, updateUser, useUserChange } from '../features/users/mutations.ts'
import { type User, userQuery, userTitle } from '../features/users/queries.ts'
import { SignInAs } from '../features/users/sign-in-as.tsx'
import { Factors, Identities, Sessions } from '../features/users/sign-ins.tsx'
import { ApiError, projectQuery } from '../lib/api.ts'
import { time } from '../lib/format.ts'
import { parseObject } from '../lib/json-source.ts'

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

/** Sends a user one of Auth's mails. */
function Mails({ user }: { user: User }) {
  const inbox = useQuery(projectQuery).data?.urls.mail
  const sending = useUserChange(
    (mail: Mail) => sendMail(mail, user.email),
    (_, mail) => `${MAILS[mail]} is sent to ${user.email}.`,
  )
  const mails: readonly Mail[] = user.email_confirmed_at
    ? ['recovery', 'magiclink']
    : ['signup', 'invite', 'recovery', 'magiclink']
  return (
    <Panel title="Mails">
      <div className="grid gap-3 p-3 text-[13px]">
        {user.email === '' ? (
          <p className="text-ink-soft">This user has no email address to send to.</p>
        ) : (
          <>
            <div className="flex flex-wrap gap-2">
              {mails.map((mail) => (
                <Button key={mail} disabled={sending.isPending} onClick={() => sending.mutate(mail)}>
                  Send: {MAILS[mail].toLowerCase()}
                </Button>
              ))}
            </div>
            {inbox ? (
              <p className="text-ink-faint text-xs">
                Mails are caught on this machine:{' '}
                <a className="text-accent underline" href={inbox} target="_blank" rel="noreferrer">
                  open the inbox
                </a>
              </p>
            ) : null}
          </>
        )}
      </div>
      {sending.error ? <Failure error={sending.error} /> : null}
    </Panel>
  )
}

const textOf = (metadata: Record<string, unknown> | null): string => JSON.stringify(metadata ?? {}, null, 2)

/** Edits the metadata that a user can change, and that which only the backend can. */
function Metadata({ user }: { user: User }) {
  return (
    <Panel title="Metadata">
      <MetadataForm key={`user ${textOf(user.user_metadata)}`} user={user} part="user_metadata" />
      <div className="border-t">
        <MetadataForm key={`app ${textOf(user.app_metadata)}`} user={user} part="app_metadata" />
      </div>
    </Panel>
  )
}

const PARTS = {
  user_metadata: { name: 'User metadata', hint: 'The user can change it: no policy should trust it.' },
  app_metadata: { name: 'App metadata', hint: 'Only the secret key changes it: policies may trust it.' },
} as const

function MetadataForm({ user, part }: { user: User; part: keyof typeof PARTS }) {
  const saved = textOf(user[part])
  const [text, setText] = useState(saved)
  const { name, hint } = PARTS[part]
  const saving = useUserChange(
    async () => updateUser(user.id, { [part]: metadataChange(user[part] ?? {}, parseObject(text)) }),
    `${name} is saved.`,
  )
  return (
    <form
      className="grid gap-3 p-3"
      onSubmit={(event) => {
        event.preventDefault()
        saving.mutate()
      }}
    >
      <TextArea
        label={name}
        hint={hint}
        rows={Math.min(16, Math.max(4, text.split('\n').length))}
        className="font-mono text-xs"
        value={text}
        onValue={setText}
      />
      {text === saved ? null : (
        <div className="flex gap-2">
          <Button type="submit" look="primary" disabled={saving.isPending}>
            Save {name.toLowerCase()}
          </Button>
          <Button onClick={() => setText(saved)}>Discard the change</Button>
        </div>
      )}
      {saving.error ? <Failure error={saving.error} /> : null}
    </form>
  )
}
