import { useMutation, useQuery } from '@tanstack/react-query'
import { Download, FolderInput, Link2, Trash2, X } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Input, Select } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Facts } from '../../components/page.tsx'
import { Pending } from '../../components/states.tsx'
import { tellFailure } from '../../components/toast.tsx'
import { projectQuery } from '../../lib/api.ts'
import { bytes, time } from '../../lib/format.ts'
import { encodeKey, nameOf } from './keys.ts'
import { Preview } from './preview.tsx'
import { download, type FileDetail, fileQuery, signedPath, toEntry, type View } from './storage.ts'

type FilePanelProps = {
  view: View
  fileKey: string
  isPublic: boolean
  onClose: () => void
  onMove: () => void
  onDelete: () => void
}

/** A file's preview, properties and actions. */
export function FilePanel({ view, fileKey, isPublic, onClose, onMove, onDelete }: FilePanelProps) {
  const { data: file, error, refetch } = useQuery(fileQuery(view.bucket, fileKey, view.as))
  const { data: project } = useQuery(projectQuery)
  const [isSigning, setIsSigning] = useState(false)
  const apiUrl = project?.urls.api ?? ''
  const publicUrl = `${apiUrl}/storage/v1/object/public/${encodeURIComponent(view.bucket)}/${encodeKey(fileKey)}`
  return (
    <aside aria-label="File" className="flex h-full w-96 max-w-full shrink-0 flex-col border-l">
      <header className="flex items-center gap-2 border-b py-1.5 pr-1.5 pl-4">
        <h2 className="min-w-0 flex-1 truncate font-semibold text-[13px]" title={fileKey}>
          {nameOf(fileKey)}
        </h2>
        <IconButton icon={X} label="Close the file" onClick={onClose} />
      </header>
      <div className="grid min-h-0 flex-1 content-start gap-4 overflow-auto p-4">
        {error || file === undefined ? (
          <Pending error={error} onRetry={refetch} />
        ) : file === null ? (
          <p className="text-ink-soft text-[13px]">
            {view.as
              ? `There is no such file, or policies hide it from ${view.as}.`
              : 'There is no such file. It may have been moved or deleted.'}
          </p>
        ) : (
          <>
            <Preview view={view} file={toEntry(file.key, file)} />
            <div className="flex flex-wrap gap-2">
              <Button icon={Download} onClick={() => void download(apiUrl, view, fileKey).catch(tellFailure)}>
                Download
              </Button>
              <Button icon={Link2} onClick={() => setIsSigning(true)}>
                Signed link
              </Button>
              <Button icon={FolderInput} onClick={onMove}>
                Move or rename
              </Button>
              <Button icon={Trash2} look="danger" onClick={onDelete}>
                Delete
              </Button>
            </div>
            {isPublic ? (
              <div className="flex items-center gap-1">
                <code className="min-w-0 flex-1 truncate font-mono text-xs" title={publicUrl}>
                  {publicUrl}
                </code>
                <CopyButton text={publicUrl} label="Copy the public URL" />
              </div>
            ) : null}
            <FileFacts file={file} />
          </>
        )}
      </div>
      {isSigning ? <LinkDialog view={view} fileKey={fileKey} onClose={() => setIsSigning(false)} /> : null}
    </aside>
  )
}

function FileFacts({
  file: { key, owner, version, created_at, updated_at, metadata, user_metadata },
}: {
  file: FileDetail
}) {
  const { size, mimetype, cacheControl, eTag } = metadata ?? {}
  const rows = {
    Key: key,
    Size: `${bytes(Number(size ?? 0))} (${Number(size ?? 0).toLocaleString('en')} bytes)`,
    Type: mimetype,
    Created: time(created_at),
    Updated: time(updated_at),
    Owner: owner,
    'Cache control': cacheControl,
    ETag: eTag,
    Version: version,
  }
  return (
    <>
      <Facts facts={Object.entries(rows).flatMap(([name, value]) => (value ? [[name, String(value)] as const] : []))} />
      {user_metadata ? (
        <section>
          <h3 className="mb-1 font-medium text-xs">User metadata</h3>
          <pre className="overflow-auto rounded-md border bg-raised p-2 font-mono text-xs">
            {JSON.stringify(user_metadata, null, 2)}
          </pre>
        </section>
      ) : null}
    </>
  )
}

const HOUR = 3_600
const LIFETIMES: readonly { readonly seconds: number; readonly name: string }[] = [
  { seconds: 60, name: 'a minute' },
  { seconds: HOUR, name: 'an hour' },
  { seconds: 24 * HOUR, name: 'a day' },
  { seconds: 7 * 24 * HOUR, name: 'a week' },
  { seconds: 365 * 24 * HOUR, name: 'a year' },
]

type LinkDialogProps = { view: View; fileKey: string; onClose: () => void }

/** Creates a URL that gives access to a file for a limited time. */
function LinkDialog({ view, fileKey, onClose }: LinkDialogProps) {
  const { data: project } = useQuery(projectQuery)
  const [seconds, setSeconds] = useState(HOUR)
  const sign = useMutation({ mutationFn: () => signedPath(view, fileKey, seconds) })
  const url = sign.data === undefined ? null : `${project?.urls.api ?? ''}${sign.data}`
  return (
    <FormDialog
      title={`Signed link to ${nameOf(fileKey)}`}
      action="Create the link"
      cancel="Close"
      mutation={sign}
      onClose={onClose}
    >
      <Select
        label="Valid for"
        hint="Anyone with the link can read the file until then, regardless of policies."
        value={seconds}
        onValue={(value) => setSeconds(Number(value))}
        options={LIFETIMES.map((one) => [one.seconds, one.name])}
      />
      {url ? (
        <div className="flex items-center gap-1">
          <Input readOnly aria-label="Signed link" value={url} className="font-mono text-xs!" />
          <CopyButton text={url} label="Copy the link" />
        </div>
      ) : null}
    </FormDialog>
  )
}
