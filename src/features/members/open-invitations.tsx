import { MailOpen } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { roleLabel } from '../../domain/roles.ts'
import { formatDate } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { InvitationLink } from './invitation-link.tsx'
import { type Invited, inviteMember, withdrawInvitation } from './mutations.ts'
import type { OpenInvitation } from './queries.ts'

type OpenInvitationsProps = {
  library: string
  invitations: readonly OpenInvitation[]
  collections: readonly { id: string; name: string }[]
}

/** Pending invitations. Resending replaces the link. */
export function OpenInvitations({ library, invitations, collections }: OpenInvitationsProps) {
  const [renewed, setRenewed] = useState<Invited & { email: string }>()
  const withdrawal = useAction(withdrawInvitation)
  const renewal = useAction(inviteMember, { onSuccess: (invited, { email }) => setRenewed({ ...invited, email }) })
  if (invitations.length === 0) return null
  return (
    <section aria-labelledby="open-invitations">
      <h2 id="open-invitations" className="eyebrow mb-2">
        {t('Invited, not here yet')}
      </h2>
      {renewed ? (
        <div className="mb-3">
          <InvitationLink email={renewed.email} invited={renewed} />
        </div>
      ) : null}
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {invitations.map(({ id, email, role, collection_id, collection_role, locale, expires_at, asked_at }) => {
          const expired = Date.parse(expires_at) <= Date.now()
          const place = collections.find((collection) => collection.id === collection_id)?.name
          return (
            <li key={id} className="flex flex-wrap items-center gap-x-3.5 gap-y-2 px-4 py-3">
              <MailOpen aria-hidden className="size-5 text-ink-faint" strokeWidth={1.5} />
              <div className="min-w-0 flex-1 basis-40">
                <p dir="auto" className="truncate font-medium text-sm">
                  {email}
                </p>
                <p className="text-ink-faint text-xs">
                  {expired
                    ? asked_at
                      ? t('expired on {date}; new link requested', { date: formatDate(expires_at) })
                      : t('expired on {date}', { date: formatDate(expires_at) })
                    : t('until {date}', { date: formatDate(expires_at) })}
                </p>
              </div>
              <Badge tone={expired ? 'amber' : 'neutral'}>
                {place ? t('{role} of “{place}”', { role: roleLabel(role), place }) : roleLabel(role)}
              </Badge>
              <Button
                size="small"
                busy={renewal.isPending && renewal.variables.email === email}
                onClick={() =>
                  renewal.mutate({
                    library,
                    email,
                    role,
                    locale,
                    ...(collection_id && (collection_role === 'reader' || collection_role === 'editor')
                      ? { collection: collection_id, collection_role }
                      : {}),
                  })
                }
              >
                {t('Send again')}
              </Button>
              <Button
                size="small"
                look="quiet"
                aria-label={t('Withdraw the invitation of {email}', { email })}
                onClick={() => withdrawal.mutate({ library, invitation: id })}
              >
                {t('Withdraw')}
              </Button>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
