import { MailOpen } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { type Role, roleLabel } from '../../domain/roles.ts'
import { formatDate } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { acceptInvitation } from './mutations.ts'

type Invitation = { id: string; library_name: string; role: Role; invited_by: string | null; expires_at: string }

type InvitationListProps = { invitations: readonly Invitation[]; onAccepted: (library: string) => void }

export function InvitationList({ invitations, onAccepted }: InvitationListProps) {
  const acceptance = useAction(acceptInvitation)
  if (invitations.length === 0) return null
  return (
    <section aria-labelledby="invitations" className="mb-8">
      <h2 id="invitations" className="eyebrow mb-3">
        {t('Invitations')}
      </h2>
      <ul className="grid gap-2">
        {invitations.map(({ id, library_name, role, invited_by, expires_at }) => (
          <li key={id} className="flex flex-wrap items-center gap-4 rounded-lg border border-line bg-surface p-4">
            <MailOpen aria-hidden className="size-5 text-accent" strokeWidth={1.5} />
            <p className="min-w-0 flex-1 text-sm leading-relaxed">
              {t('{who} invites you to {library} as {role}', {
                who: invited_by ?? t('Someone'),
                library: library_name,
                role: roleLabel(role),
              })}
              <span className="block text-ink-faint text-xs">
                {t('until {date}', { date: formatDate(expires_at) })}
              </span>
            </p>
            <Button
              look="primary"
              size="small"
              busy={acceptance.isPending}
              onClick={() => acceptance.mutate(id, { onSuccess: onAccepted })}
            >
              {t('Join')}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
