import { useQuery } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Checkbox, Form, Input, Select } from '../../components/field.tsx'
import { CallerInput } from '../../components/view-as.tsx'
import { qualified } from '../../lib/sql.ts'
import { relationsQuery } from '../catalog.ts'
import { ApplyDialog } from '../migrations/apply-dialog.tsx'
import { publishedQuery } from './queries.ts'
import { type ChangeFilter, type ChannelSearch, channelOf, EVENTS } from './settings.ts'

type ChannelFormProps = {
  channel: ChannelSearch
  /** Called with the channel to join. */
  onJoin: (channel: ChannelSearch) => void
  onLeave: () => void
}

const NEW_CHANGE: ChangeFilter = { event: '*', schema: 'public', table: '*' }

/** A channel's settings. To change those of a joined channel, join it again. */
export function ChannelForm({ channel, onJoin, onLeave }: ChannelFormProps) {
  const [draft, setDraft] = useState(channel)
  /** The table whose changes should be sent. */
  const [published, setPublished] = useState<ChangeFilter>()
  const change = (next: Partial<ChannelSearch>) => setDraft((before) => ({ ...before, ...next }))
  const changes = draft.changes ?? []
  const setChanges = (next: readonly ChangeFilter[]) => change({ changes: next.length > 0 ? [...next] : undefined })
  const isJoined = channel.join === true
  return (
    <>
      <Form
        aria-label="Channel"
        className="grid gap-3"
        onSubmit={(form) => {
          // Enter in the caller's field submits before it loses the focus.
          const as = new FormData(form).get('as')?.toString().trim() || undefined
          onJoin(channelOf({ ...draft, as, join: true }))
        }}
      >
        <Input
          label="Topic"
          required
          placeholder="room:1"
          value={draft.topic ?? ''}
          onValue={(value) => change({ topic: value || undefined })}
        />
        <CallerInput
          label="Join as"
          hint="A role such as anon, or a user by email, phone or id."
          name="as"
          value={draft.as}
          onChange={(as) => change({ as })}
          placeholder="service_role (all rights)"
        />
        <div className="grid gap-1.5">
          <Checkbox
            label="Private: checked by policies"
            checked={draft.private ?? false}
            onChecked={(isChecked) => change({ private: isChecked || undefined })}
          />
          <Checkbox
            label="Receive own broadcasts"
            checked={draft.own ?? true}
            onChecked={(isChecked) => change({ own: isChecked ? undefined : false })}
          />
          <Checkbox
            label="Receive presence"
            checked={draft.presence ?? true}
            onChecked={(isChecked) => change({ presence: isChecked ? undefined : false })}
          />
        </div>
        <Input
          label="Presence key"
          placeholder="a random one"
          value={draft.key ?? ''}
          onValue={(value) => change({ key: value || undefined })}
        />
        {changes.map((one, index) => (
          <ChangeFields
            key={index}
            number={index + 1}
            change={one}
            onChange={(next) => setChanges(changes.with(index, next))}
            onPublish={() => setPublished(one)}
            onRemove={() => setChanges(changes.toSpliced(index, 1))}
          />
        ))}
        <div>
          <Button icon={Plus} look="quiet" onClick={() => setChanges([...changes, NEW_CHANGE])}>
            Listen to row changes
          </Button>
        </div>
        <div className="flex gap-2">
          <Button type="submit" look="primary">
            {isJoined ? 'Join again' : 'Join'}
          </Button>
          {isJoined ? <Button onClick={onLeave}>Leave</Button> : null}
        </div>
      </Form>
      {published ? (
        <ApplyDialog
          title={`Send the changes of ${published.schema}.${published.table}`}
          sql={`alter publication supabase_realtime add table ${qualified(published.schema, published.table)};`}
          name={`publish_${published.table}`}
          onClose={() => setPublished(undefined)}
        />
      ) : null}
    </>
  )
}

type ChangeFieldsProps = {
  /** Distinguishes several of them. */
  number: number
  change: ChangeFilter
  onChange: (change: ChangeFilter) => void
  /** Adds the table to the publication. */
  onPublish: () => void
  onRemove: () => void
}

/** Which row changes a channel listens to. */
function ChangeFields({ number, change, onChange, onPublish, onRemove }: ChangeFieldsProps) {
  const { event, schema, table, filter } = change
  const { data: relations = [] } = useQuery(relationsQuery)
  const { data: published } = useQuery(publishedQuery)
  const tables = relations.filter(({ kind }) => kind === 'r' || kind === 'p')
  const schemas = [...new Set([schema, ...tables.map((one) => one.schema)])]
  const isThere = tables.some((one) => one.schema === schema && one.name === table)
  const isSilent = published && isThere && !published.has(`${schema}.${table}`)
  return (
    <fieldset className="grid gap-1.5 rounded-md border p-2">
      <legend className="sr-only">Row changes {number}</legend>
      <div className="flex gap-1.5">
        <Select
          aria-label={`Event ${number}`}
          value={event}
          onValue={(value) => onChange({ ...change, event: value as ChangeFilter['event'] })}
          options={EVENTS.map((one) => [one, one === '*' ? 'All changes' : one])}
        />
        <IconButton icon={X} label={`Remove row changes ${number}`} onClick={onRemove} />
      </div>
      <div className="flex gap-1.5">
        <Select
          aria-label={`Schema ${number}`}
          value={schema}
          onValue={(schema) => onChange({ ...change, schema, table: '*' })}
          options={schemas}
        />
        <Input
          aria-label={`Table ${number}`}
          suggestions={tables.filter((one) => one.schema === schema).map(({ name }) => name)}
          required
          value={table}
          placeholder="* for all"
          onValue={(table) => onChange({ ...change, table })}
        />
      </div>
      <Input
        aria-label={`Filter ${number}`}
        value={filter ?? ''}
        placeholder="Filter, such as id=eq.4"
        onValue={(value) => onChange({ ...change, filter: value || undefined })}
      />
      {isSilent ? (
        <div className="grid justify-items-start gap-1.5 text-warn text-xs">
          <p>
            {schema}.{table} sends no changes: it is not in the publication supabase_realtime.
          </p>
          <Button onClick={onPublish}>Add it …</Button>
        </div>
      ) : null}
    </fieldset>
  )
}
