import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Checkbox, Input } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { tellDone } from '../../components/toast.tsx'
import { sizeText } from './keys.ts'
import { type Bucket, createBucket, refreshBuckets, updateBucket } from './storage.ts'

type BucketDialogProps = {
  /** Null for a new one. */
  bucket: Bucket | null
  onClose: () => void
  onSaved: (id: string) => void
}

/** Creates a bucket, or changes its settings. */
export function BucketDialog({ bucket, onClose, onSaved }: BucketDialogProps) {
  const [name, setName] = useState(bucket?.name ?? '')
  const [isPublic, setIsPublic] = useState(bucket?.public ?? false)
  const [limit, setLimit] = useState(bucket?.file_size_limit ? sizeText(bucket.file_size_limit) : '')
  const [types, setTypes] = useState(bucket?.allowed_mime_types?.join(', ') ?? '')
  const save = useMutation({
    mutationFn: () => {
      const listed = types.split(/[\s,]+/).filter((type) => type !== '')
      const settings = {
        public: isPublic,
        file_size_limit: limit.trim().replaceAll(' ', '') || null,
        allowed_mime_types: listed.length > 0 ? listed : null,
      }
      return bucket ? updateBucket(bucket.id, settings) : createBucket(name.trim(), settings)
    },
    onSuccess: async () => {
      await refreshBuckets()
      tellDone(bucket ? `${bucket.name} is changed.` : `The bucket ${name.trim()} is created.`)
      onSaved(bucket?.id ?? name.trim())
    },
  })
  return (
    <FormDialog
      title={bucket ? `Settings of ${bucket.name}` : 'New bucket'}
      action={bucket ? 'Save' : 'Create'}
      isReady={name.trim() !== ''}
      mutation={save}
      onClose={onClose}
    >
      <Input
        label="Name"
        hint={bucket ? 'A bucket keeps its name.' : null}
        value={name}
        required
        disabled={bucket !== null}
        placeholder="avatars"
        onValue={setName}
      />
      <div className="grid gap-1">
        <Checkbox label="Public" checked={isPublic} onChecked={setIsPublic} />
        <p className="text-ink-faint text-xs">
          {isPublic
            ? 'Anyone who knows the address of a file can read it; policies decide only who may list, write and delete.'
            : 'Policies on storage.objects decide who may do what.'}
        </p>
      </div>
      <Input
        label="Maximum size of a file"
        hint="Such as 50MB or 2GB. Empty: the limit of the project."
        value={limit}
        onValue={setLimit}
      />
      <Input
        label="Allowed types"
        hint="Such as image/*, application/pdf. Empty: all types."
        value={types}
        onValue={setTypes}
      />
    </FormDialog>
  )
}
