import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { formatMoment } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { closeFileRequest, replaceFileRequest } from './mutations.ts'
import { type FileRequest, isOpen } from './queries.ts'
import { ReceivedFiles } from './received-files.tsx'
import { RequestLink } from './request-link.tsx'

type FileRequestCardProps = { library: string; request: FileRequest; place: string }

export function FileRequestCard({ library, request, place }: FileRequestCardProps) {
  const [asked, setAsked] = useState<'replace' | 'close'>()
  const done = () => setAsked(undefined)
  const replacing = useAction(replaceFileRequest, { onSuccess: done })
  const closing = useAction(closeFileRequest, { onSuccess: done })
  const { id, title, closed_at, expires_at, received, most_files } = request
  const open = isOpen(request)
  return (
    <article aria-label={title} className="grid gap-4 rounded-lg border border-line bg-surface p-4 sm:p-5">
      <div>
        <div className="flex flex-wrap items-center gap-2">
          <h3 dir="auto" className="font-semibold font-serif text-lg">
            {title}
          </h3>
          {open ? <Badge tone="accent">{t('Open')}</Badge> : <Badge>{t('Closed')}</Badge>}
        </div>
        <p className="text-ink-faint text-xs">
          <bdi>{place}</bdi> · {t('until {date}', { date: formatMoment(closed_at ?? expires_at) })} ·{' '}
          {t('{received} of {most} files', { received, most: most_files })}
        </p>
      </div>
      {replacing.data ? <RequestLink token={replacing.data.token} /> : null}
      <ReceivedFiles library={library} files={request.files} />
      {open ? (
        <div className="flex flex-wrap justify-end gap-2">
          <Button size="small" onClick={() => setAsked('replace')}>
            {t('New link…')}
          </Button>
          <Button size="small" look="danger" onClick={() => setAsked('close')}>
            {t('Close…')}
          </Button>
        </div>
      ) : null}
      <ConfirmDialog
        open={asked === 'replace'}
        title={t('Create a new link?')}
        action={t('Create a new link')}
        busy={replacing.isPending}
        onConfirm={() => replacing.mutate({ library, request: id })}
        onClose={done}
      >
        {t('The old link stops accepting files. Received files stay.')}
      </ConfirmDialog>
      <ConfirmDialog
        open={asked === 'close'}
        title={t('Close this request?')}
        action={t('Close the request')}
        busy={closing.isPending}
        onConfirm={() => closing.mutate({ library, request: id })}
        onClose={done}
      >
        {t('Its link stops accepting files permanently. Received files are kept for 30 days.')}
      </ConfirmDialog>
    </article>
  )
}
