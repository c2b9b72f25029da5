import { useMutation } from '@tanstack/react-query'
import { Download, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FileInput } from '../../components/file-input.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Progress } from '../../components/progress.tsx'
import { showFailure } from '../../domain/failure-toast.ts'
import { keys } from '../../domain/keys.ts'
import { reportBatch, useBatchProgress } from '../../lib/batches.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { saveBlob } from '../../lib/ui/save-blob.ts'
import { showToast } from '../../lib/ui/toast.ts'
import type { ImportReport } from './import.ts'
import { truncateName } from './paths.ts'

type Library = { id: string; name: string }

/** Exports everything as one ZIP. The code is loaded on first use. */
export function ExportLibrary({ library }: { library: Library }) {
  const [progress, setProgress] = useState({ done: 0, total: 0 })
  const abort = useRef<AbortController>(undefined)
  const exporting = useMutation({
    mutationFn: async () => {
      abort.current = new AbortController()
      setProgress({ done: 0, total: 0 })
      const { exportLibrary } = await import('./export.ts')
      const onProgress = (done: number, total: number) => setProgress({ done, total })
      const zip = await exportLibrary(library.id, onProgress, abort.current.signal)
      saveBlob(zip, `${truncateName(library.name)}.zip`)
    },
  })
  return (
    <div className="grid max-w-lg gap-4">
      <p className="text-ink-soft text-sm leading-relaxed">
        {t(
          'One ZIP with every file and its versions, notes as Markdown, and comments, tags and collections in carrel.json. The trash isn’t included.',
        )}
      </p>
      {exporting.error && !isAbort(exporting.error) ? <FailureNotice error={exporting.error} /> : null}
      {exporting.isPending ? (
        <div className="flex items-center gap-3">
          <Progress label={t('Building the ZIP')} value={progress.total > 0 ? progress.done / progress.total : null} />
          <Button size="small" onClick={() => abort.current?.abort()}>
            {t('Stop')}
          </Button>
        </div>
      ) : (
        <Button icon={Download} className="justify-self-start" onClick={() => exporting.mutate()}>
          {t('Export everything')}
        </Button>
      )}
    </div>
  )
}

const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'

type ImportIntoLibraryProps = {
  library: string
  /** Receives the files of a plain ZIP, as if they had been dropped. */
  onFiles: (files: { file: File; folders: string[] }[]) => void
}

/** Imports our export, another program's, a plain ZIP, or references. */
export function ImportIntoLibrary({ library, onFiles }: ImportIntoLibraryProps) {
  const picker = useRef<HTMLInputElement>(null)
  const progress = useBatchProgress()
  const importing = useMutation({
    mutationFn: async (file: File): Promise<ImportReport | undefined> => {
      const onProgress = (done: number, total: number) => reportBatch({ done, total, isImport: true })
      onProgress(0, 1)
      const { importFile } = await import('./import-file.ts')
      return importFile(library, file, onProgress, onFiles).finally(() => reportBatch(undefined))
    },
    // When the dialog is closed, the shelf shows the progress, and a message the end.
    onError: (error) => picker.current || showFailure(error),
    onSuccess: (report) => report && !picker.current && showEnd(report),
    meta: { invalidates: () => [keys.library(library)] },
  })
  const report = importing.data
  const start = ([file]: ArrayLike<File> & Iterable<File>) => file && !importing.isPending && importing.mutate(file)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button below does the same
    <div
      className="grid max-w-lg gap-4"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        start(event.dataTransfer.files)
      }}
    >
      <p className="text-ink-soft text-sm leading-relaxed">
        {t(
          'A ZIP exported from Carrel; Notion’s “Markdown & CSV” export; a ZIP from Paperless’s document_exporter; a JSON file from Karakeep; references from Zotero and others as RIS or BibTeX; or any other ZIP of files and folders. Imported documents are added to this library.',
        )}{' '}
        {t('If an import was interrupted, choose the same file again: it continues, and nothing is added twice.')}
      </p>
      <FailureNotice error={importing.error} />
      {report ? (
        <ImportResult report={report} onContinue={() => importing.variables && importing.mutate(importing.variables)} />
      ) : null}
      {importing.isPending ? (
        <Progress label={t('Importing')} value={progress ? progress.done / progress.total : null} />
      ) : (
        <Button icon={Upload} className="justify-self-start" onClick={() => picker.current?.click()}>
          {t('Choose a file')}
        </Button>
      )}
      <FileInput ref={picker} accept=".zip,.json,.ris,.bib,.bibtex,.txt" label={t('File to import')} onFiles={start} />
    </div>
  )
}

const importedText = ({ documents }: ImportReport): string =>
  t('{documents, plural, =0 {Nothing was imported} one {# document was imported} other {# documents were imported}}', {
    documents,
  })

function showEnd(report: ImportReport): void {
  const lost = report.isInterrupted ? t('The connection was lost before the end.') : ''
  const description = lost || (report.problems[0]?.reason ?? '')
  showToast({ title: importedText(report), description, failed: description !== '' })
}

function ImportResult({ report, onContinue }: { report: ImportReport; onContinue: () => void }) {
  const { known, trashed, isInterrupted, problems } = report
  return (
    <Notice tone={problems.length > 0 || isInterrupted ? 'info' : 'success'} title={importedText(report)}>
      {isInterrupted ? <p>{t('The connection was lost before the end.')}</p> : null}
      {known > 0 ? (
        <p>
          {t('{known, plural, one {# document was already here.} other {# documents were already here.}}', { known })}{' '}
          {trashed > 0
            ? t('{trashed, plural, one {# is in the trash.} other {# are in the trash.}}', { trashed })
            : null}
        </p>
      ) : null}
      {problems.length > 0 ? (
        <ul className="mt-1 grid gap-1">
          {problems.map(({ title, reason }) => (
            <li key={title + reason}>
              {title}: {reason}
            </li>
          ))}
        </ul>
      ) : null}
      {problems.length > 0 || isInterrupted ? (
        <Button size="small" className="mt-2" onClick={onContinue}>
          {isInterrupted ? t('Continue') : t('Try again')}
        </Button>
      ) : null}
    </Notice>
  )
}

/** Mounted only while open. */
export function ImportDialog({ onClose, ...props }: ImportIntoLibraryProps & { onClose: () => void }) {
  return (
    <Dialog open onOpenChange={onClose} title={t('Import')}>
      <ImportIntoLibrary {...props} />
    </Dialog>
  )
}
