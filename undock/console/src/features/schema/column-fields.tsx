import { useQuery } from '@tanstack/react-query'
import { Checkbox, Input } from '../../components/field.tsx'
import { readJson } from '../../lib/api.ts'
import { catalogKey } from '../catalog.ts'
import type { ColumnDraft } from './table-sql.ts'

const TYPES = [
  'text',
  'bigint',
  'integer',
  'uuid',
  'boolean',
  'numeric',
  'double precision',
  'timestamptz',
  'date',
  'time',
  'interval',
  'jsonb',
  'text[]',
  'bytea',
]

type ColumnFieldsProps = {
  draft: ColumnDraft
  onChange: (draft: ColumnDraft) => void
  /** Only these can change for an existing column. */
  isExisting?: boolean
}

/** The form fields for one column. */
export function ColumnFields({ draft, onChange, isExisting = false }: ColumnFieldsProps) {
  const enums = useQuery({
    queryKey: [...catalogKey, 'own types'],
    queryFn: ({ signal }) =>
      readJson<string>(
        `select to_json(format_type(t.oid, null)) from pg_type t join pg_namespace n on n.oid = t.typnamespace
         where t.typtype in ('e', 'd') and n.nspname not in ('pg_catalog', 'information_schema')`,
        [],
        { signal },
      ),
  })
  const references = useQuery({
    queryKey: [...catalogKey, 'references'],
    queryFn: ({ signal }) =>
      readJson<string>(
        `select to_json(n.nspname || '.' || c.relname || '.' || a.attname)
         from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
         join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1]
         where k.contype in ('p', 'u') and cardinality(k.conkey) = 1
           and (n.nspname || c.relname || a.attname) not like '%.%' order by 1`,
        [],
        { signal },
      ),
  })
  const set = (change: Partial<ColumnDraft>) => onChange({ ...draft, ...change })
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Input label="Name" required value={draft.name} onValue={(name) => set({ name })} />
      <Input
        label="Type"
        required
        suggestions={[...TYPES, ...(enums.data ?? [])]}
        value={draft.type}
        onValue={(type) => set({ type })}
      />
      <Input
        label="Default"
        hint="An expression, such as now() or 'new'."
        disabled={draft.isIdentity}
        value={draft.default}
        onValue={(value) => set({ default: value })}
      />
      {isExisting ? null : (
        <Input
          label="References"
          hint="The column of another table that it refers to."
          suggestions={references.data ?? []}
          placeholder="none"
          value={draft.references}
          onValue={(references) => set({ references })}
        />
      )}
      <div className="flex flex-wrap gap-4 sm:col-span-2">
        <Checkbox
          label="Can be null"
          disabled={draft.isKey}
          checked={draft.isNullable && !draft.isKey}
          onChecked={(isChecked) => set({ isNullable: isChecked })}
        />
        {isExisting ? null : (
          <>
            <Checkbox label="Unique" checked={draft.isUnique} onChecked={(isChecked) => set({ isUnique: isChecked })} />
            <Checkbox label="Primary key" checked={draft.isKey} onChecked={(isChecked) => set({ isKey: isChecked })} />
            <Checkbox
              label="Auto-increment"
              checked={draft.isIdentity}
              onChecked={(isChecked) => set({ isIdentity: isChecked })}
            />
          </>
        )}
      </div>
    </div>
  )
}
