import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { FileCode, SearchX, Settings2, ShieldCheck, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { Confirm } from '../components/confirm.tsx'
import { ButtonLink } from '../components/link.tsx'
import { Empty } from '../components/states.tsx'
import { tellDone } from '../components/toast.tsx'
import { ApplyDialog } from '../features/migrations/apply-dialog.tsx'
import { Browser } from '../features/storage/browser.tsx'
import { toSort } from '../features/storage/browser-state.ts'
import { BucketDialog } from '../features/storage/bucket-dialog.tsx'
import { sizeText, toFolder } from '../features/storage/keys.ts'
import {
  type Bucket,
  bucketSql,
  bucketsQuery,
  deleteBucket,
  emptyBucket,
  refreshBuckets,
  refreshFiles,
} from '../features/storage/storage.ts'

const route = getRouteApi('/storage/$bucket')

export function BucketScreen() {
  const { bucket: id } = route.useParams()
  const { as, path, file, q, sort } = route.useSearch()
  const navigate = route.useNavigate()
  const buckets = useQuery(bucketsQuery(as))
  const bucket = buckets.data?.find((one) => one.id === id)
  if (buckets.data && !bucket && as === undefined)
    return (
      <Empty icon={SearchX} title={`There is no bucket ${id}`}>
        It may have been deleted.
      </Empty>
    )
  return (
    <div className="flex h-full flex-col">
      {bucket ? <BucketBar bucket={bucket} onDeleted={() => void navigate({ to: '/storage' })} /> : null}
      <div className="min-h-0 flex-1">
        <Browser
          // Marks belong to one folder.
          key={`${id}/${path ?? ''}?${as ?? ''}`}
          bucket={bucket}
          view={{ bucket: id, folder: toFolder(path ?? ''), sort: toSort(sort), as }}
          file={file}
          search={q ?? ''}
          onChange={(state) => void navigate({ search: (before) => ({ ...before, ...state }) })}
        />
      </div>
    </div>
  )
}

function BucketBar({ bucket, onDeleted }: { bucket: Bucket; onDeleted: () => void }) {
  const [dialog, setDialog] = useState<'edit' | 'migration' | 'empty' | 'delete' | null>(null)
  const { id, name, public: isPublic, file_size_limit: limit, allowed_mime_types: types } = bucket
  const confirmation = { name, deletesData: true, onClose: () => setDialog(null) }
  return (
    <div className="flex flex-wrap items-center gap-2 border-b px-3 py-1.5 text-ink-soft text-xs">
      <span>{isPublic ? 'Public' : 'Private'}</span>
      {limit ? <span>· files up to {sizeText(limit)}</span> : null}
      {types && types.length > 0 ? <span className="max-w-80 truncate">· only {types.join(', ')}</span> : null}
      <span className="ml-auto flex gap-1">
        <ButtonLink
          icon={ShieldCheck}
          to="/policies/$schema/$name"
          params={{ schema: 'storage', name: 'objects' }}
          search={{ bucket: id }}
        >
          Policies
        </ButtonLink>
        <Button
          icon={FileCode}
          look="quiet"
          title="Write the bucket as a migration, so that a reset and other machines make it, too"
          onClick={() => setDialog('migration')}
        >
          As a migration …
        </Button>
        <Button icon={Settings2} look="quiet" onClick={() => setDialog('edit')}>
          Settings
        </Button>
        <Button look="quiet" onClick={() => setDialog('empty')}>
          Empty
        </Button>
        <Button icon={Trash2} look="quiet" onClick={() => setDialog('delete')}>
          Delete bucket
        </Button>
      </span>
      {dialog === 'edit' ? (
        <BucketDialog bucket={bucket} onClose={() => setDialog(null)} onSaved={() => setDialog(null)} />
      ) : dialog === 'migration' ? (
        <ApplyDialog
          title={`The bucket ${name} as a migration`}
          sql={bucketSql(bucket)}
          name={`bucket_${name}`}
          onClose={() => setDialog(null)}
        />
      ) : dialog === 'empty' ? (
        <Confirm
          title={`Empty ${name}?`}
          {...confirmation}
          action="Delete all files"
          run={async (snapshot) => {
            await emptyBucket(id, snapshot)
            await refreshFiles()
            tellDone(`${name} is empty.`)
          }}
        >
          All files of the bucket are deleted. Storage cannot restore them.
        </Confirm>
      ) : dialog === 'delete' ? (
        <Confirm
          title={`Delete the bucket ${name}?`}
          {...confirmation}
          action="Delete"
          run={async (snapshot) => {
            await deleteBucket(id, snapshot)
            onDeleted()
            await refreshBuckets()
            tellDone(`The bucket ${name} is deleted.`)
          }}
        >
          The bucket and all its files are deleted. Storage cannot restore them.
        </Confirm>
      ) : null}
    </div>
  )
}
