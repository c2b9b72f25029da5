import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useId } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Input, Select } from '../../components/field.tsx'
import { relationsQuery } from '../catalog.ts'
import { publishedQuery } from './queries.ts'
import { type ChangeFilter, EVENTS } from './settings.ts'

type ChangeFieldsProps = {
  /** Tells several of them apart. */
  number: number
  change: ChangeFilter
  onChange: (change: ChangeFilter) => void
  /** Adds the table to those that send their changes. */
  onPublish: () => void
  onRemove: () => void
}

/** Which row changes a channel listens to. */
export function ChangeFields({ number, change, onChange, onPublish, onRemove }: ChangeFieldsProps) {
  const { event, schema, table, filter } = change
  const { data: relations = [] } = useQuery(relationsQuery)
  const { data: published } = useQuery(publishedQuery)
  const list = useId()
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
          onChange={({ target }) => onChange({ ...change, event: target.value as ChangeFilter['event'] })}
        >
          {EVENTS.map((one) => (
            <option key={one} value={one}>
              {one === '*' ? 'All changes' : one}
            </option>
          ))}
        </Select>
        <IconButton label={`Remove row changes ${number}`} onClick={onRemove}>
          <X aria-hidden />
        </IconButton>
      </div>
      <div className="flex gap-1.5">
        <Select
          aria-label={`Schema ${number}`}
          value={schema}
          onChange={({ target }) => onChange({ ...change, schema: target.value, table: '*' })}
        >
          {schemas.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </Select>
        <Input
          aria-label={`Table ${number}`}
          list={list}
          required
          value={table}
          placeholder="* for all"
          onChange={({ target }) => onChange({ ...change, table: target.value })}
        />
        <datalist id={list}>
          {tables
            .filter((one) => one.schema === schema)
            .map(({ name }) => (
              <option key={name} value={name} />
            ))}
        </datalist>
      </div>
      <Input
        aria-label={`Filter ${number}`}
        value={filter ?? ''}
        placeholder="Filter, such as id=eq.4"
        onChange={({ target }) => onChange({ ...change, filter: target.value || undefined })}
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
