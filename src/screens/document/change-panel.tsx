import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { TextDiff } from '../../components/text-diff.tsx'
import { showFailure } from '../../domain/failure-toast.ts'
import { textOfFile } from '../../domain/file-text.ts'
import { ChangeNotice } from '../../features/approval/change-notice.tsx'
import { approvalQuery } from '../../features/approval/queries.ts'
import { fileQuery, type OpenDocument } from '../../features/reader/queries.ts'
import { formatBytes } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { saveBlob } from '../../lib/ui/save-blob.ts'

type Version = Pick<NonNullable<OpenDocument['version']>, 'storage_path' | 'mime_type' | 'file_name'>
type Proposed = NonNullable<OpenDocument['proposed']>
type ChangePanelProps = { library: string; document: OpenDocument; proposed: Proposed; onContinue: () => void }

export function ChangePanel({ library, document, proposed, onContinue }: ChangePanelProps) {
  const { collection, version, title, kind } = document
  const { data: approval } = useQuery({
    ...approvalQuery(library, collection?.id ?? ''),
    enabled: collection !== null,
  })
  return (
    <ChangeNotice
      library={library}
      document={document}
      change={proposed}
      // Outside of collections, no approval is needed.
      approval={collection ? (approval ?? { may_approve: false, approvers: [] }) : { may_approve: true, approvers: [] }}
      onContinue={kind === 'note' ? onContinue : undefined}
      difference={
        kind === 'note' ? (
          <TextDiff label={t('Differences')} before={version?.body ?? ''} after={proposed.body ?? ''} />
        ) : (
          <FileDifference before={version} after={proposed} title={title} />
        )
      }
    />
  )
}

function FileDifference({ before, after, title }: { before: Version | null; after: Proposed; title: string }) {
  const queryClient = useQueryClient()
  const name = after.file_name ?? title
  const saving = useMutation({
    mutationFn: async () => saveBlob(await queryClient.fetchQuery(fileQuery(after.storage_path ?? '')), name),
    onError: showFailure,
  })
  const [textBefore, textAfter] = [useText(before), useText(after)]
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 rounded-lg border border-line px-4 py-3 text-sm">
        <p className="min-w-0 flex-1 [overflow-wrap:anywhere]">
          <bdi>{name}</bdi> <span className="text-ink-faint">{formatBytes(after.size_bytes)}</span>
        </p>
        <Button icon={Download} size="small" busy={saving.isPending} onClick={() => saving.mutate()}>
          {t('Download the new file')}
        </Button>
      </div>
      {textBefore !== undefined && textAfter !== undefined ? (
        <TextDiff label={t('Differences')} before={textBefore} after={textAfter} />
      ) : null}
    </>
  )
}

/** The text of a PDF or text file; undefined for others, and while loading. */
function useText(version: Version | null): string | undefined {
  const path = version?.storage_path ?? ''
  const isPdf = version?.mime_type === 'application/pdf'
  const { data } = useQuery({
    queryKey: [...fileQuery(path).queryKey, 'text'],
    queryFn: async ({ client }) => {
      const file = await client.fetchQuery(fileQuery(path))
      return isPdf ? (await import('../../lib/pdf.ts')).textOfPdf(file) : textOfFile(file)
    },
    enabled: path !== '' && (isPdf || (version?.mime_type.startsWith('text/') ?? false)),
  })
  return data
}
