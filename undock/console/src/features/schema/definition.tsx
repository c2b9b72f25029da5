import { useNavigate } from '@tanstack/react-router'
import { Shield, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextLink } from '../../components/link.tsx'
import type { RelationDetail } from '../catalog.ts'
import { ApplyDialog } from '../migrations/apply-dialog.tsx'
import { ColumnPart, DefinitionPart } from './column-part.tsx'
import { rowSecurityChange, type SqlChange, tableDrop } from './table-changes.ts'

/** Columns, keys, indexes, triggers and policies of a table. What changes them becomes a migration. */
export function Definition({ relation }: { relation: RelationDetail }) {
  const navigate = useNavigate()
  const [change, setChange] = useState<(SqlChange & { isDrop?: boolean }) | null>(null)
  const isTable = relation.kind === 'r' || relation.kind === 'p'
  const { constraints, indexes, triggers, definition } = relation
  return (
    <div className="mx-auto grid max-w-5xl gap-6 p-4">
      <ColumnPart relation={relation} isTable={isTable} onChange={setChange} />
      {definition === null ? null : <Code title="Definition of the view" lines={[definition]} />}
      {isTable ? <PolicyPart relation={relation} onChange={setChange} /> : null}
      <Code title="Constraints" lines={constraints.map((one) => `${one.name}: ${one.definition}`)} />
      <Code title="Indexes" lines={indexes.map((one) => one.definition)} />
      <Code title="Triggers" lines={triggers.map((one) => one.definition)} />
      <div>
        <Button icon={Trash2} look="danger" onClick={() => setChange({ ...tableDrop(relation), isDrop: true })}>
          Drop {relation.name}
        </Button>
      </div>
      {change ? (
        <ApplyDialog
          title={change.title}
          sql={change.sql}
          name={change.name}
          onClose={() => setChange(null)}
          onApplied={() => {
            setChange(null)
            if (change.isDrop) void navigate({ to: '/tables' })
          }}
        />
      ) : null}
    </div>
  )
}

type PolicyPartProps = { relation: RelationDetail; onChange: (change: SqlChange) => void }

/** Whether row security decides about the rows, and by which policies. */
function PolicyPart({ relation, onChange }: PolicyPartProps) {
  const { schema, name, rowSecurity, policies } = relation
  return (
    <DefinitionPart
      title="Policies"
      actions={
        <Button icon={Shield} onClick={() => onChange(rowSecurityChange(relation))}>
          {rowSecurity ? 'Turn row security off' : 'Turn row security on'}
        </Button>
      }
    >
      <p className="px-3 py-2 text-[13px] text-ink-soft">
        {rowSecurity
          ? policies.length === 0
            ? 'Row security is on, but no policy exists: the API returns and changes no rows.'
            : 'Row security is on. A row is allowed when one of these policies is true.'
          : 'Row security is off: every privilege on the table applies to all rows.'}{' '}
        <TextLink to="/policies/$schema/$name" params={{ schema, name }}>
          Change the policies
        </TextLink>
      </p>
      {policies.map(({ name, command, roles, isPermissive, using, check }) => (
        <div key={name} className="grid gap-1 border-t px-3 py-2 text-[13px]">
          <p>
            <span className="font-medium">{name}</span>
            <span className="ml-2 text-ink-faint text-xs">
              {command.toLowerCase()} for {roles.join(', ')}
              {isPermissive ? '' : ', restrictive'}
            </span>
          </p>
          {using === null ? null : <pre className="overflow-auto font-mono text-xs">using {using}</pre>}
          {check === null ? null : <pre className="overflow-auto font-mono text-xs">with check {check}</pre>}
        </div>
      ))}
    </DefinitionPart>
  )
}

function Code({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null
  return (
    <DefinitionPart title={title}>
      <pre className="whitespace-pre-wrap p-3 font-mono text-xs">{lines.join('\n')}</pre>
    </DefinitionPart>
  )
}
