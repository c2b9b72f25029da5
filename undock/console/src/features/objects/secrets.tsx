import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Input, TextArea } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Failure } from '../../components/states.tsx'
import { tellDone } from '../../components/toast.tsx'
import { readJson, refresh, write } from '../../lib/api.ts'
import { catalogKey } from '../catalog.ts'
import type { DatabaseObject } from './sections.ts'

const sectionKey = [...catalogKey, 'objects', 'vault']

/** A secret's value, fetched on request and forgotten when the line is closed. */
export function SecretValue({ secret }: { secret: DatabaseObject }) {
  const [isAsked, setIsAsked] = useState(false)
  const show = useMutation({
    gcTime: 0,
    mutationFn: async () => {
      const [value] = await readJson<string>(
        'select to_json(decrypted_secret) from vault.decrypted_secrets where id = $1::uuid',
        [secret.id],
      )
      return value ?? ''
    },
  })
  return (
    <>
      {show.data === undefined ? null : (
        <p className="flex items-center gap-2">
          <code className="min-w-0 break-all rounded-md border bg-raised px-2 py-1 font-mono text-xs">{show.data}</code>
          <CopyButton text={show.data} label="Copy the value" />
        </p>
      )}
      <Failure error={show.error} />
      <div className="flex gap-2">
        <Button onClick={() => (show.data === undefined ? show.mutate() : show.reset())} disabled={show.isPending}>
          {show.data === undefined ? 'Show the value' : 'Hide the value'}
        </Button>
        <Button look="danger" onClick={() => setIsAsked(true)}>
          Delete the secret
        </Button>
      </div>
      {isAsked ? (
        <Confirm
          title={`Delete ${secret.name}?`}
          action="Delete"
          run={async () => {
            await write([{ text: 'delete from vault.secrets where id = $1::uuid', values: [secret.id] }])
            await refresh(sectionKey)
            tellDone(`The secret ${secret.name} is deleted.`)
          }}
          onClose={() => setIsAsked(false)}
        >
          Functions that read this secret will no longer find it.
        </Confirm>
      ) : null}
    </>
  )
}

/** Secrets don't go into migrations, which are committed. */
export function NewSecret({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const [description, setDescription] = useState('')
  const create = useMutation({
    mutationFn: () =>
      write([{ text: 'select vault.create_secret($1::text, $2::text, $3::text)', values: [value, name, description] }]),
    onSuccess: async () => {
      await refresh(sectionKey)
      onClose()
    },
  })
  return (
    <FormDialog
      title="New secret"
      action="Save the secret"
      isReady={name !== '' && value !== ''}
      mutation={create}
      onClose={onClose}
    >
      <Input label="Name" value={name} onValue={setName} />
      <TextArea label="Value" rows={3} value={value} onValue={setValue} />
      <Input label="Description" value={description} onValue={setDescription} />
    </FormDialog>
  )
}
