import { Link } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { Button, IconButton } from '../../components/button.tsx'
import { showFailure, useAction } from '../../domain/failure-toast.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { formatBytes, formatMoment } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { saveBlob } from '../../lib/ui/save-blob.ts'
import { decideReceivedFiles } from './mutations.ts'
import type { ReceivedFile } from './queries.ts'

export function ReceivedFiles({ library, files }: { library: string; files: readonly ReceivedFile[] }) {
  const deciding = useAction(decideReceivedFiles)
  const waiting = files.filter(({ state }) => state === 'waiting').map(({ id }) => id)
  const decide = (ids: string[], state: 'taken' | 'discarded') => deciding.mutate({ library, files: ids, state })
  if (files.length === 0) return <p className="text-ink-faint text-sm">{t('No files yet.')}</p>
  return (
    <div className="grid gap-3">
      <ul aria-label={t('Received files')} className="divide-y divide-line rounded-lg border border-line">
        {files.map((file) => (
          <li key={file.id} className="grid gap-2 px-3 py-2.5 text-sm">
            <div className="min-w-0">
              <p dir="auto" className="font-medium [overflow-wrap:anywhere]">
                {file.file_name}
              </p>
              <p className="text-ink-soft text-xs">
                <bdi>{file.sender_name}</bdi> {file.sender_address ? <bdi>({file.sender_address})</bdi> : null} ·{' '}
                {formatBytes(file.size_bytes)} · {formatMoment(file.received_at)}
              </p>
              {file.message ? (
                <p dir="auto" className="mt-1 whitespace-pre-line text-ink-soft [overflow-wrap:anywhere]">
                  {file.message}
                </p>
              ) : null}
            </div>
            {file.state === 'waiting' ? (
              <div className="flex flex-wrap gap-2">
                <Button
                  size="small"
                  look="primary"
                  aria-label={t('Accept {name}', { name: file.file_name })}
                  disabled={deciding.isPending}
                  onClick={() => decide([file.id], 'taken')}
                >
                  {t('Accept')}
                </Button>
                <Button
                  size="small"
                  aria-label={t('Discard {name}', { name: file.file_name })}
                  disabled={deciding.isPending}
                  onClick={() => decide([file.id], 'discarded')}
                >
                  {t('Discard')}
                </Button>
                <IconButton
                  icon={Download}
                  label={t('Download {name}', { name: file.file_name })}
                  onClick={() => void download(file).catch(showFailure)}
                />
              </div>
            ) : file.document_id ? (
              <Link
                to="/l/$library/d/$document"
                params={{ library, document: file.document_id }}
                className="w-fit rounded text-xs underline underline-offset-4"
              >
                {t('Accepted')}
              </Link>
            ) : (
              <p className="text-ink-faint text-xs">{file.state === 'taken' ? t('Accepted') : t('Discarded')}</p>
            )}
          </li>
        ))}
      </ul>
      {waiting.length > 1 ? (
        <div className="flex flex-wrap gap-2">
          <Button size="small" busy={deciding.isPending} onClick={() => decide(waiting, 'taken')}>
            {t('Accept all')}
          </Button>
          <Button size="small" look="danger" disabled={deciding.isPending} onClick={() => decide(waiting, 'discarded')}>
            {t('Discard all')}
          </Button>
        </div>
      ) : null}
    </div>
  )
}

async function download({ path, file_name }: ReceivedFile): Promise<void> {
  const { data, error } = await supabase.storage.from('documents').download(path)
  if (error) throw error
  saveBlob(data, file_name)
}
