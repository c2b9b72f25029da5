import { useQuery } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { Failure } from '../../components/states.tsx'
import { projectQuery } from '../project.ts'
import { MAILS, type Mail, sendMail, useUserChange } from './mutations.ts'
import type { User } from './queries.ts'

/** Sends a user one of Auth's mails. */
export function Mails({ user }: { user: User }) {
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
