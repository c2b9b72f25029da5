import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Outlet, useNavigate, useParams } from '@tanstack/react-router'
import { Archive, Globe, Plus, RotateCcw, X } from 'lucide-react'
import { Button, IconButton } from '../components/button.tsx'
import { SideLink } from '../components/link.tsx'
import { Mark } from '../components/page.tsx'
import { SideList, SplitPane } from '../components/split-pane.tsx'
import { Empty, Pending } from '../components/states.tsx'
import { ViewAs } from '../components/view-as.tsx'
import { BucketDialog } from '../features/storage/bucket-dialog.tsx'
import { type Bucket, bucketsQuery, refreshFiles } from '../features/storage/storage.ts'
import { cancelUpload, forgetUploads, retryUpload, type Upload, useUploads } from '../features/storage/uploads.ts'
import { bytes, counted } from '../lib/format.ts'
import { usePageTitle, useSearchChange } from '../lib/state.ts'

const route = getRouteApi('/storage')

/** The list of buckets next to the open one. */
export function StorageScreen() {
  const params = useParams({ strict: false })
  const { as, new: isCreating = false } = route.useSearch()
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery(bucketsQuery(as))
  usePageTitle(params.bucket === undefined ? 'Storage' : `${params.bucket} · Storage`)
  const change = useSearchChange()
  const setIsCreating = (next: boolean) => change({ new: next || undefined })
  const create = (
    <Button icon={Plus} look="primary" onClick={() => setIsCreating(true)}>
      New bucket
    </Button>
  )
  return (
    <div className="flex h-full flex-col">
      <header className="flex min-h-13 flex-wrap items-center justify-between gap-2 border-b px-4 py-2">
        <h1 className="font-semibold text-[15px]">Storage</h1>
        <ViewAs
          value={as}
          onChange={(value) => {
            change({ as: value })
            void refreshFiles()
          }}
        />
      </header>
      <div className="min-h-0 flex-1">
        <SplitPane
          label="Buckets"
          className="w-52"
          isChosen={params.bucket !== undefined || data?.length === 0}
          side={
            data ? (
              <BucketList buckets={data} as={as} onCreate={() => setIsCreating(true)} />
            ) : (
              <Pending error={error} onRetry={refetch} />
            )
          }
        >
          {params.bucket !== undefined ? (
            <Outlet />
          ) : data?.length === 0 ? (
            <Empty icon={Archive} title="There are no buckets" action={as ? null : create}>
              {as
                ? `No policy on storage.buckets lets ${as} see one.`
                : 'A bucket holds files. It is public or has policies.'}
            </Empty>
          ) : (
            <Empty icon={Archive} title="Choose a bucket">
              Its files are shown here.
            </Empty>
          )}
        </SplitPane>
      </div>
      <UploadPanel />
      {isCreating ? (
        <BucketDialog
          bucket={null}
          onClose={() => setIsCreating(false)}
          onSaved={(id) => {
            void navigate({ to: '/storage/$bucket', params: { bucket: id }, search: { as } })
          }}
        />
      ) : null}
    </div>
  )
}

type BucketListProps = { buckets: readonly Bucket[]; as: string | undefined; onCreate: () => void }

const BucketList = ({ buckets, as, onCreate }: BucketListProps) => (
  <SideList noun="bucket" items={buckets} action={<IconButton icon={Plus} label="New bucket" onClick={onCreate} />}>
    {({ id, name, public: isPublic }) => (
      <SideLink to="/storage/$bucket" params={{ bucket: id }} search={{ as }} activeOptions={{ includeSearch: false }}>
        <span className="min-w-0 flex-1 truncate">{name}</span>
        {isPublic ? <Mark icon={Globe} title="Public" tone="text-ink-faint" /> : null}
      </SideLink>
    )}
  </SideList>
)

/** This page's uploads and their progress. */
function UploadPanel() {
  const uploads = useUploads()
  const open = uploads.filter(({ state }) => state === 'running' || state === 'waiting').length
  if (uploads.length === 0) return null
  return (
    <section aria-label="Uploads" className="max-h-56 shrink-0 overflow-auto border-t bg-panel">
      <header className="sticky top-0 flex items-center justify-between border-b bg-panel py-1 pr-1.5 pl-4 text-[13px]">
        <p role="status">{open > 0 ? `${counted(open, 'upload')} under way` : 'All uploads ended.'}</p>
        <IconButton icon={X} label="Remove the ended uploads from this list" onClick={forgetUploads} />
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
        <IconButton icon={RotateCcw} label={`Upload ${key} again`} onClick={() => retryUpload(upload, false)} />
      ) : null}
      {state === 'running' || state === 'waiting' ? (
        <IconButton icon={X} label={`Cancel the upload of ${key}`} onClick={() => cancelUpload(id)} />
      ) : null}
    </li>
  )
}

/** Storage's message for an existing key; the status and code differ between the two upload methods. */
const EXISTS = 'The resource already exists'
