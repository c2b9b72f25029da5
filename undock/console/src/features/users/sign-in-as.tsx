import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Input } from '../../components/field.tsx'
import { Failure } from '../../components/states.tsx'
import { type SignIn, signInAs, signInLink, useUserChange } from './mutations.ts'
import { type User, userTitle } from './queries.ts'
import { TokenView } from './token-view.tsx'

type SignInAsProps = { user: User; onClose: () => void }

/** Begins a session of a user for the app: as tokens to copy, or by a link that opens the app. */
export function SignInAs({ user, onClose }: SignInAsProps) {
  const [redirectTo, setRedirectTo] = useState('')
  const session = useUserChange<void, SignIn>(() => signInAs(user.email), 'The session has begun.')
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
      {error ? <Failure error={error} /> : null}
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
