import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { LogIn, Trash2, UserX } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Form, Input, TextArea } from '../components/field.tsx'
import { PageLink, TextLink } from '../components/link.tsx'
import { Page, Panel } from '../components/page.tsx'
import { Empty, Failure, Pending } from '../components/states.tsx'
import { Account, Ban, DeleteUser } from '../features/users/account.tsx'
import {
  MAILS,
  type Mail,
  metadataChange,
  type SignIn,
  sendMail,
  signInAs,
  signInLink,
  updateUser,
  useUserChange,
} from '../features/users/mutations.ts'
import { type User, userQuery, userTitle } from '../features/users/queries.ts'
import { Factors, Identities, Sessions } from '../features/users/sign-ins.tsx'
import { TokenView } from '../features/users/token-view.tsx'
import { ApiError, projectQuery } from '../lib/api.ts'
import { time } from '../lib/format.ts'
import { parseObject } from '../lib/json-source.ts'

const route = getRouteApi('/users/$id')

export function UserScreen() {
  const { id } = route.useParams()
  const { data, error, refetch } = useQuery(userQuery(id))
  if (data) return <UserPage user={data} />
  if (error instanceof ApiError && error.code === 'user_not_found')
    return (
      <Empty icon={UserX} title="There is no such user" action={<TextLink to="/users">Show all users</TextLink>}>
        No user has the id {id}; it may have been deleted.
      </Empty>
    )
  return <Pending error={error} onRetry={refetch} />
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
          <PageLink to="/policies/explain" search={{ as: email || id }}>
            Explain access
          </PageLink>
          <Button
            icon={LogIn}
            disabled={email === '' || deleted_at !== undefined}
            title={email === '' ? 'You can only sign in as a user who has an email address.' : undefined}
            onClick={() => open('sign-in')}
          >
            Sign in as
          </Button>
          <Button icon={Trash2} look="danger" onClick={() => open('delete')}>
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
                Emails are caught on this machine:{' '}
                <a className="text-accent underline" href={inbox} target="_blank" rel="noreferrer">
                  open the inbox
                </a>
              </p>
            ) : null}
          </>
        )}
      </div>
      <Failure error={sending.error} />
    </Panel>
  )
}

const textOf = (metadata: Record<string, unknown> | null): string => JSON.stringify(metadata ?? {}, null, 2)

/** Edits the metadata that users can change and that only the backend can. */
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
    <Form className="grid gap-3 p-3" onSubmit={() => saving.mutate()}>
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
      <Failure error={saving.error} />
    </Form>
  )
}

type SignInAsProps = { user: User; onClose: () => void }

/** Starts a user's session for the app: as tokens to copy, or a link that opens the app. */
function SignInAs({ user, onClose }: SignInAsProps) {
  const [redirectTo, setRedirectTo] = useState('')
  const session = useUserChange<void, SignIn>(() => signInAs(user.email), 'Signed in.')
  const link = useUserChange<void, string>(() => signInLink(user.email, redirectTo.trim()), 'The link is ready.')
  const error = session.error ?? link.error
  return (
    <Dialog title={`Sign in as ${userTitle(user)}`} onClose={onClose} wide>
      {user.email_confirmed_at ? null : (
        <p className="text-[13px] text-warn">The address is not confirmed yet; signing in confirms it.</p>
      )}
      {session.data ? (
        <Tokens session={session.data} />
      ) : (
        <>
          <section className="grid gap-2">
            <h3 className="font-medium">A session, as tokens</h3>
            <p className="text-[13px] text-ink-soft">For the app's code, a test, curl or the browser's console.</p>
            <div>
              <Button look="primary" disabled={session.isPending} onClick={() => session.mutate()}>
                Begin a session
              </Button>
            </div>
          </section>
          <section className="grid gap-2 border-t pt-3">
            <h3 className="font-medium">A link that opens the app</h3>
            <Input
              label="Page of the app"
              hint="One of the allowed redirect addresses; empty for site_url. The link works once."
              type="url"
              placeholder="http://localhost:3000"
              value={redirectTo}
              onValue={setRedirectTo}
            />
            {link.data ? (
              <CopyLine name="Link" text={link.data}>
                <a className="shrink-0 text-accent underline" href={link.data} target="_blank" rel="noreferrer">
                  Open
                </a>
              </CopyLine>
            ) : (
              <div>
                <Button disabled={link.isPending} onClick={() => link.mutate()}>
                  Make a link
                </Button>
              </div>
            )}
          </section>
        </>
      )}
      <Failure error={error} />
    </Dialog>
  )
}

function Tokens({ session: { access_token, refresh_token } }: { session: SignIn }) {
  const snippet = `await supabase.auth.setSession({\n  access_token: '${access_token}',\n  refresh_token: '${refresh_token}',\n})`
  return (
    <>
      <CopyLine name="supabase-js" text={snippet} />
      <CopyLine name="Access token" text={access_token} />
      <CopyLine name="Refresh token" text={refresh_token} />
      <section className="border-t pt-3">
        <h3 className="mb-2 font-medium">Claims of the access token</h3>
        <TokenView token={access_token} />
      </section>
    </>
  )
}

function CopyLine({ name, text, children }: { name: string; text: string; children?: React.ReactNode }) {
  return (
    <div className="flex min-w-0 items-center gap-2 rounded-md border bg-raised pl-2.5 text-[13px]">
      <span className="w-28 shrink-0 text-ink-soft">{name}</span>
      <code className="min-w-0 flex-1 truncate font-mono text-xs">{text}</code>
      {children}
      <CopyButton text={text} label={`Copy: ${name}`} />
    </div>
  )
}
