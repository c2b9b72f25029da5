import { useQuery } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { TextDiff } from '../../components/text-diff.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { formatBytes, formatMoment } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { showToast } from '../../lib/ui/toast.ts'
import { saveNote } from './mutations.ts'
import { versionBodyQuery, versionsQuery } from './queries.ts'

type VersionHistoryProps = {
  library: string
  note: { id: string; version: { id: string; body: string } }
  /** The version being edited: the current one, or a change awaiting approval. */
  basedOn: string
  canEdit: boolean
  onClose: () => void
}

/** A note's versions, compared with the current one, with a button to restore. Mounted only while open. */
export function VersionHistory({ library, note, basedOn, canEdit, onClose }: VersionHistoryProps) {
  const { data: versions } = useQuery(versionsQuery(library, note.id))
  const [chosen, setChosen] = useState<string>()
  const current = chosen ?? versions?.find(({ id }) => id !== note.version.id)?.id
  const { data: version } = useQuery({ ...versionBodyQuery(current ?? ''), enabled: current !== undefined })
  const restoration = useAction(saveNote, {
    onSuccess: ({ is_published }) => {
      onClose()
      showToast(
        is_published
          ? {
              title: t('Version {number} is the latest again', { number: version?.number ?? 0 }),
              description: t('It becomes a new version. No version is lost.'),
            }
          : { title: t('Version {number} waits for approval', { number: version?.number ?? 0 }) },
      )
    },
  })
  return (
    <Dialog open onOpenChange={onClose} title={t('Versions')} className="w-[min(64rem,calc(100vw-2rem))]">
      {versions === undefined ? (
        <Skeleton className="h-40" />
      ) : (
        <div className="grid gap-5 md:grid-cols-[15rem_minmax(0,1fr)]">
          <ol className="max-h-[60dvh] overflow-y-auto max-md:max-h-40">
            {versions.map(({ id, number, created_at, size_bytes, author, decider }) => (
              <li key={id}>
                <button
                  type="button"
                  aria-current={id === current || undefined}
                  onClick={() => setChosen(id)}
                  className="w-full rounded-md px-2.5 py-2 text-start text-sm hover:bg-hover aria-[current=true]:bg-accent-soft"
                >
                  <span className="font-medium">
                    {id === note.version.id
                      ? t('Version {number}, the latest', { number })
                      : t('Version {number}', { number })}
                  </span>
                  <span className="block text-ink-faint text-xs">
                    {author?.display_name ?? t('Former member')}, {formatMoment(created_at)} · {formatBytes(size_bytes)}
                    {decider ? <> · {t('approved by {name}', { name: decider.display_name })}</> : null}
                  </span>
                </button>
              </li>
            ))}
          </ol>
          <div className="grid min-w-0 content-start gap-3">
            {version ? (
              <>
                <TextDiff
                  label={t('Version {number} and the latest', { number: version.number })}
                  before={version.body ?? ''}
                  after={note.version.body}
                />
                {canEdit && version.id !== note.version.id ? (
                  <Button
                    icon={RotateCcw}
                    size="small"
                    className="justify-self-end"
                    busy={restoration.isPending}
                    onClick={() => restoration.mutate({ library, note: note.id, body: version.body ?? '', basedOn })}
                  >
                    {t('Restore version {number}', { number: version.number })}
                  </Button>
                ) : null}
              </>
            ) : (
              <p className="text-ink-faint text-sm">{t('There’s only this version so far.')}</p>
            )}
          </div>
        </div>
      )}
    </Dialog>
  )
}
