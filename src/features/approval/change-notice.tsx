import { lazy, type ReactNode, Suspense, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { Opening } from '../../lib/ui/typed-ahead.ts'
import type { Change } from './change-dialog.tsx'
import { approversOf, listed } from './names.ts'
import type { Approval } from './queries.ts'

const ChangeDialog = lazy(() => import('./change-dialog.tsx').then((it) => ({ default: it.ChangeDialog })))

type ChangeNoticeProps = {
  library: string
  document: { id: string; title: string }
  change: Change
  approval: Pick<Approval, 'may_approve' | 'approvers'>
  difference: ReactNode
  /** Continues editing; undefined for a file. */
  onContinue: (() => void) | undefined
}

export function ChangeNotice({ library, document, change, approval, difference, onContinue }: ChangeNoticeProps) {
  // A snapshot: people don't approve what arrives while they read.
  const [opened, setOpened] = useState<{ change: Change; difference: ReactNode }>()
  const { returned_words: words, decider, authors } = change
  const isReturned = words !== null
  return (
    <Notice
      tone="info"
      className="mt-1 mb-4"
      title={
        isReturned
          ? t('{name} sent the change back', { name: decider?.display_name ?? t('Someone') })
          : t('A change by {names} waits for approval', { names: listed(authors.map((one) => one.display_name)) })
      }
    >
      {isReturned ? (
        <blockquote dir="auto" className="my-1 whitespace-pre-line border-edge border-s-2 ps-3 text-ink">
          {words}
        </blockquote>
      ) : null}
      <p>
        {approval.may_approve
          ? t('Below is what everyone sees until you approve it.')
          : t('Below is what everyone sees until then. Approvers: {names}', { names: approversOf(approval) })}
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button
          size="small"
          {...(approval.may_approve && !isReturned ? { look: 'primary' as const } : {})}
          onClick={() => setOpened({ change, difference })}
        >
          {t('Review the change')}
        </Button>
        {isReturned && onContinue ? (
          <Button size="small" onClick={onContinue}>
            {t('Continue writing')}
          </Button>
        ) : null}
      </div>
      {opened ? (
        <Suspense fallback={<Opening />}>
          <ChangeDialog
            library={library}
            document={document}
            {...opened}
            mayApprove={approval.may_approve}
            onClose={() => setOpened(undefined)}
          />
        </Suspense>
      ) : null}
    </Notice>
  )
}
