import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleAlert, CircleCheck, Copy, Pause, Play, RotateCw, X } from 'lucide-react'
import { type ComponentProps, useEffect } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Progress } from '../../components/progress.tsx'
import { Tray } from '../../components/tray.tsx'
import { formatBytes } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { useLeaveWarning } from '../../lib/ui/window.ts'
import { isFinished, isUnderWay, type Upload } from './upload-queue.ts'
import { refreshShelvesWithUploads, uploads, useUploads } from './uploads.ts'

export function UploadTray() {
  const queryClient = useQueryClient()
  const all = useUploads()
  useEffect(() => refreshShelvesWithUploads(queryClient), [queryClient])
  // Uploads with a copy continue after a reload.
  useLeaveWarning(all.some((upload) => isUnderWay(upload) && !upload.kept))
  if (all.length === 0) return null

  const unfinished = all.filter((upload) => isUnderWay(upload) || isPaused(upload)).length
  const failed = all.filter(isFailed).length
  return (
    <Tray
      label={t('Uploads')}
      title={summaryOf(all)}
      onDismiss={unfinished === 0 ? uploads.clear : undefined}
      above={
        <>
          {unfinished > 0 && all.length > 1 ? (
            <Progress
              className="rounded-none"
              label={t('Uploads')}
              value={all.filter(isFinished).length / all.length}
            />
          ) : null}
          {failed > 0 || unfinished > 1 ? (
            <div className="flex gap-2 border-line border-b px-4 py-2">
              {failed > 0 ? (
                <Button size="small" onClick={uploads.retryFailed}>
                  {t('Retry all')}
                </Button>
              ) : null}
              {unfinished > 1 ? (
                <Button size="small" onClick={uploads.cancelAll}>
                  {t('Cancel all')}
                </Button>
              ) : null}
            </div>
          ) : null}
        </>
      }
    >
      <ul className="max-h-72 divide-y divide-line overflow-y-auto">
        {worstFirst(all)
          .slice(0, MAX_ROWS)
          .map((upload) => (
            <UploadRow key={upload.id} upload={upload} />
          ))}
        {all.length > MAX_ROWS ? (
          <li className="px-4 py-2.5 text-ink-faint text-xs">{t('{count} more', { count: all.length - MAX_ROWS })}</li>
        ) : null}
      </ul>
    </Tray>
  )
}

/** More would slow down each change. */
const MAX_ROWS = 100
const isPaused = ({ state }: Upload) => state.step === 'paused'
const isFailed = ({ state }: Upload) => state.step === 'failed'
const isRefused = ({ state }: Upload) => state.step === 'refused'

function summaryOf(all: readonly Upload[]): string {
  const waiting = all.filter(isUnderWay).length
  if (waiting > 0) return t('{count, plural, one {Adding # file} other {Adding # files}}', { count: waiting })
  const failed = all.filter(isFailed).length
  const refused = all.filter(isRefused).length
  const paused = all.filter(isPaused).length
  const duplicates = all.filter(({ state }) => state.step === 'duplicate').length
  const added = all.length - failed - refused - paused - duplicates
  return [
    added > 0 ? t('{count, plural, one {# file added} other {# files added}}', { count: added }) : '',
    duplicates > 0
      ? t('{count, plural, one {# file was already there} other {# files were already there}}', { count: duplicates })
      : '',
    paused > 0 ? t('{count} paused', { count: paused }) : '',
    failed > 0 ? t('{count} failed', { count: failed }) : '',
    refused > 0 ? t('{count} refused', { count: refused }) : '',
  ]
    .filter(Boolean)
    .join(', ')
}

const worstFirst = (all: readonly Upload[]): Upload[] => all.toSorted((a, b) => urgencyOf(b) - urgencyOf(a))
const urgencyOf = (upload: Upload): number =>
  isFailed(upload) || isRefused(upload) ? 2 : Number(isUnderWay(upload) || isPaused(upload))

function UploadRow({ upload }: { upload: Upload }) {
  const { id, file, state } = upload
  const sent = state.step === 'sending' || state.step === 'paused' ? state.sent : null
  const action = actionOn(upload)
  return (
    <li className="grid grid-cols-1 gap-1.5 py-2.5 pe-1.5 ps-4">
      <div className="flex items-center gap-2">
        <span dir="auto" className="min-w-0 flex-1 truncate text-sm" title={file.name}>
          {file.name}
        </span>
        {action ? <IconButton {...action} /> : null}
        {isFinished(upload) ? null : (
          <IconButton label={t('Cancel {name}', { name: file.name })} icon={X} onClick={() => uploads.remove(id)} />
        )}
      </div>
      <UploadLine upload={upload} />
      {state.step === 'sending' || state.step === 'paused' || state.step === 'filing' ? (
        <Progress
          value={state.step === 'filing' ? 1 : sent === null ? null : sent / file.size}
          label={t('Upload of {name}', { name: file.name })}
          className="me-2.5 w-auto"
        />
      ) : null}
    </li>
  )
}

function actionOn({
  id,
  file: { name },
  state: { step },
  resumable,
}: Upload): ComponentProps<typeof IconButton> | undefined {
  const resume = () => uploads.resume(id)
  if (step === 'sending' && resumable)
    return { label: t('Pause {name}', { name }), icon: Pause, onClick: () => uploads.pause(id) }
  if (step === 'paused') return { label: t('Continue with {name}', { name }), icon: Play, onClick: resume }
  if (step === 'failed') return { label: t('Try {name} again', { name }), icon: RotateCw, onClick: resume }
}

function UploadLine({ upload: { file, library, state } }: { upload: Upload }) {
  const size = formatBytes(file.size)
  switch (state.step) {
    case 'waiting':
    case 'checking':
      return (
        <p className="text-ink-faint text-xs">
          {state.step === 'waiting' ? t('Waiting') : t('Checking')} · {size}
        </p>
      )
    case 'sending':
    case 'paused':
      return (
        <p className="text-ink-faint text-xs tabular-nums">
          {state.step === 'paused' ? `${t('Paused')} · ` : ''}
          {state.sent === null ? size : t('{sent} of {size}', { sent: formatBytes(state.sent), size })}
          {state.step === 'sending' && state.speed !== null ? ` · ${formatBytes(Math.round(state.speed))}/s` : ''}
        </p>
      )
    case 'filing':
      return <p className="text-ink-faint text-xs">{t('Adding to the library')}</p>
    case 'done':
      return (
        <p className="flex items-center gap-1.5 text-accent-strong text-xs">
          <CircleCheck aria-hidden className="size-3.5" />
          {t('On the shelf')}
        </p>
      )
    case 'duplicate':
      return (
        <p className="flex items-center gap-1.5 pe-2 text-ink-soft text-xs">
          <Copy aria-hidden className="size-3.5 shrink-0" />
          <span>
            {t('Already here as')}{' '}
            <Link
              dir="auto"
              to="/l/$library/d/$document"
              params={{ library, document: state.document }}
              className="font-medium underline underline-offset-2"
            >
              {state.title}
            </Link>
          </span>
        </p>
      )
    case 'refused':
    case 'failed':
      return (
        <p className="flex gap-1.5 pe-2.5 text-danger text-xs leading-relaxed">
          <CircleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          {state.reason}
        </p>
      )
  }
}
