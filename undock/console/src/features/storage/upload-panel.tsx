import { RotateCcw, X } from 'lucide-react'
import { Button, IconButton } from '../../components/button.tsx'
import { bytes, counted } from '../../lib/format.ts'
import { cancelUpload, forgetUploads, retryUpload, type Upload, useUploads } from './uploads.ts'

/** The uploads of this page, with their progress. */
export function UploadPanel() {
  const uploads = useUploads()
  const open = uploads.filter(({ state }) => state === 'running' || state === 'waiting').length
  if (uploads.length === 0) return null
  return (
    <section aria-label="Uploads" className="max-h-56 shrink-0 overflow-auto border-t bg-panel">
      <header className="sticky top-0 flex items-center justify-between border-b bg-panel py-1 pr-1.5 pl-4 text-[13px]">
        <p role="status">{open > 0 ? `${counted(open, 'upload')} under way` : 'All uploads ended.'}</p>
        <IconButton label="Remove the ended uploads from this list" onClick={forgetUploads}>
          <X aria-hidden />
        </IconButton>
      </header>
      <ul className="divide-y">
        {uploads.map((upload) => (
          <Row key={upload.id} upload={upload} />
        ))}
      </ul>
    </section>
  )
}

const STATES: Readonly<Record<Upload['state'], string>> = {
  waiting: 'waits',
  running: '',
  done: 'uploaded',
  failed: '',
  cancelled: 'cancelled',
}

function Row({ upload }: { upload: Upload }) {
  const { id, key, file, sent, state, error, view } = upload
  return (
    <li className="flex items-center gap-3 px-4 py-1 text-xs">
      <span className="min-w-0 flex-1 truncate" title={`${view.bucket}/${key}`}>
        {view.bucket}/{key}
      </span>
      {state === 'running' ? (
        <progress
          aria-label={`Upload of ${key}`}
          max={file.size || 1}
          {...(sent > 0 ? { value: sent } : {})}
          className="w-32"
        />
      ) : null}
      {error ? (
        <span role="alert" className="text-danger">
          {error.message}
        </span>
      ) : (
        <span className="text-ink-faint">
          {state === 'running' && sent > 0 ? `${bytes(sent)} of ${bytes(file.size)}` : STATES[state]}
        </span>
      )}
      {state === 'failed' && error?.message === EXISTS ? (
        <Button onClick={() => retryUpload(upload, true)}>Replace</Button>
      ) : state === 'failed' || state === 'cancelled' ? (
        <IconButton label={`Upload ${key} again`} onClick={() => retryUpload(upload, false)}>
          <RotateCcw aria-hidden />
        </IconButton>
      ) : null}
      {state === 'running' || state === 'waiting' ? (
        <IconButton label={`Cancel the upload of ${key}`} onClick={() => cancelUpload(id)}>
          <X aria-hidden />
        </IconButton>
      ) : null}
    </li>
  )
}

/** Storage's words for a key that another file has; its status and code differ between the two ways of uploading. */
const EXISTS = 'The resource already exists'
