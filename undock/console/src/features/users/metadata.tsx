import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Field, TextArea } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { Failure } from '../../components/states.tsx'
import { parseObject } from '../../lib/json-source.ts'
import { metadataChange, updateUser, useUserChange } from './mutations.ts'
import type { User } from './queries.ts'

const textOf = (metadata: Record<string, unknown> | null): string => JSON.stringify(metadata ?? {}, null, 2)

/** Edits the metadata that a user can change, and that which only the backend can. */
export function Metadata({ user }: { user: User }) {
  return (
    <Panel title="Metadata">
      <MetadataForm key={`user ${textOf(user.user_metadata)}`} user={user} part="user_metadata" />
      <div className="border-t">
        <MetadataForm key={`app ${textOf(user.app_metadata)}`} user={user} part="app_metadata" />
      </div>
    </Panel>
  )
}

const PARTS = {
  user_metadata: { name: 'User metadata', hint: 'The user can change it: no policy should trust it.' },
  app_metadata: { name: 'App metadata', hint: 'Only the secret key changes it: policies may trust it.' },
} as const

function MetadataForm({ user, part }: { user: User; part: keyof typeof PARTS }) {
  const saved = textOf(user[part])
  const [text, setText] = useState(saved)
  const { name, hint } = PARTS[part]
  const saving = useUserChange(
    async () => updateUser(user.id, { [part]: metadataChange(user[part] ?? {}, parseObject(text)) }),
    `${name} is saved.`,
  )
  return (
    <form
      className="grid gap-3 p-3"
      onSubmit={(event) => {
        event.preventDefault()
        saving.mutate()
      }}
    >
      <Field label={name} hint={hint}>
        {(id) => (
          <TextArea
            id={id}
            rows={Math.min(16, Math.max(4, text.split('\n').length))}
            className="font-mono text-xs"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      {text === saved ? null : (
        <div className="flex gap-2">
          <Button type="submit" look="primary" disabled={saving.isPending}>
            Save {name.toLowerCase()}
          </Button>
          <Button onClick={() => setText(saved)}>Discard the change</Button>
        </div>
      )}
      {saving.error ? <Failure error={saving.error} /> : null}
    </form>
  )
}
