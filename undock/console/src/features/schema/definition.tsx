import { useNavigate } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextLink } from '../../components/link.tsx'
import { counted } from '../../lib/format.ts'
import type { RelationDetail } from '../catalog.ts'
import { ApplyDialog } from '../migrations/apply-dialog.tsx'
import { ColumnPart, DefinitionPart } from './column-part.tsx'
import { type SqlChange, tableDrop } from './table-changes.ts'

/** Columns, keys, indexes, triggers and policies of a table. Changes become migrations. */
export function Definition({ relation }: { relation: RelationDetail }) {
  const navigate = useNavigate()
  const [change, setChange] = useState<(SqlChange & { isDrop?: boolean }) | null>(null)
  const isTable = relation.kind === 'r' || relation.kind === 'p'
  const { constraints, indexes, triggers, definition } = relation
  return (
    <div className="mx-auto grid max-w-5xl gap-6 p-4">
      <ColumnPart relation={relation} isTable={isTable} onChange={setChange} />
      {definition === null ? null : <Code title="Definition of the view" lines={[definition]} />}
      {isTable ? <PolicyPart relation={relation} /> : null}
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

/** Whether row security is on, and links to change it and the policies. */
function PolicyPart({ relation: { schema, name, rowSecurity, policies } }: { relation: RelationDetail }) {
  return (
    <DefinitionPart title="Policies">
      <p className="px-3 py-2 text-[13px] text-ink-soft">
        Row security is {rowSecurity ? 'on' : 'off'}, with {counted(policies.length, 'policy', 'policies')}.{' '}
        <TextLink to="/policies/$schema/$name" params={{ schema, name }}>
          Row security and policies
        </TextLink>
      </p>
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
