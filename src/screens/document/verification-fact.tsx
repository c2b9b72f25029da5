import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { VerificationBadge } from '../../features/documents/verification-badge.tsx'
import { membersQuery } from '../../features/members/queries.ts'
import type { OpenDocument } from '../../features/reader/queries.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { Opening } from '../../lib/ui/typed-ahead.ts'
import { Fact, FactAction } from './fact.tsx'

const VerificationDialog = lazy(() =>
  import('../../features/documents/dialogs/verification-dialog.tsx').then((it) => ({ default: it.VerificationDialog })),
)

type VerificationFactProps = { library: string; document: OpenDocument; canEdit: boolean }

export function VerificationFact({ library, document, canEdit }: VerificationFactProps) {
  const { id, verified_until: until, verifier } = document
  const { user } = useSession()
  const { data: members = [] } = useQuery({ ...membersQuery(library), enabled: canEdit })
  const [isOpen, setOpen] = useState(false)
  if (until === null && !canEdit) return null
  return (
    <Fact name={t('Verification')}>
      {until === null ? null : <VerificationBadge until={until} />}
      {verifier ? <bdi className="text-ink-faint text-xs">{verifier.display_name}</bdi> : null}
      {canEdit ? (
        <FactAction onClick={() => setOpen(true)}>{until === null ? t('Verify…') : t('Verify again…')}</FactAction>
      ) : null}
      {isOpen ? (
        <Suspense fallback={<Opening />}>
          <VerificationDialog
            library={library}
            document={id}
            until={until}
            verifier={verifier?.id ?? user.id}
            people={members.map(({ user_id, profile }) => ({ id: user_id, name: profile.display_name }))}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      ) : null}
    </Fact>
  )
}
