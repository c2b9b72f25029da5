import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import type { Policy, RelationDetail } from '../catalog.ts'
import { ApplyDialog } from '../migrations/apply-dialog.tsx'
import { PolicyFields, TemplateField } from './policy-fields.tsx'
import { type Draft, draftOf, draftSql, emptyDraft, isReady, type PolicyCommand } from './policy-sql.ts'
import type { Command } from './queries.ts'
import { Trial } from './trial.tsx'

type PolicyEditorProps = {
  relation: RelationDetail
  policy: Policy | null
  /** Of a new policy: the bucket that one on files is for, the command and the role that are proposed. */
  bucket?: string | undefined
  command?: Command | undefined
  role?: string | undefined
  onDone: () => void
}

/** Writes a policy or changes one: the SQL is seen as it forms, tried on real rows, and applied as a migration. */
export function PolicyEditor({ relation, policy, bucket, command, role, onDone }: PolicyEditorProps) {
  const [draft, setDraft] = useState<Draft>(policy ? draftOf(policy) : emptyDraft(command, role))
  const [isApplying, setIsApplying] = useState(false)
  const sql = draftSql(relation, policy, draft)
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <Panel title={policy ? `Change “${policy.name}”` : 'New policy'}>
        <div className="grid gap-3 p-3">
          {policy ? null : <TemplateField relation={relation} bucket={bucket} onChoose={setDraft} />}
          <PolicyFields draft={draft} onChange={setDraft} />
        </div>
      </Panel>
      <div className="grid min-w-0 content-start gap-6">
        <Panel title="SQL">
          <pre className="overflow-auto whitespace-pre-wrap p-3 font-mono text-xs">
            {sql ||
              (isReady(draft) ? '-- Nothing is changed yet.' : '-- A policy needs a name, a role and an expression.')}
          </pre>
        </Panel>
        {relation.rowSecurity ? null : (
          <p className="text-[13px] text-warn">
            Row security is off for this table: no policy is asked until it is enabled.
          </p>
        )}
        <Trial relation={relation} sql={sql} command={tried(draft.command)} role={draft.roles[0]} />
        <div className="flex justify-end gap-2">
          <Button onClick={onDone}>Cancel</Button>
          <Button look="primary" disabled={sql === ''} onClick={() => setIsApplying(true)}>
            Review and apply …
          </Button>
        </div>
      </div>
      {isApplying ? (
        <ApplyDialog
          title={policy ? 'Change the policy' : 'Create the policy'}
          sql={sql}
          name={`${policy ? 'change' : 'create'}_policy_${relation.name}_${draft.name}`}
          onApplied={onDone}
          onClose={() => setIsApplying(false)}
        />
      ) : null}
    </div>
  )
}

const tried = (command: PolicyCommand): Command => (command === 'ALL' ? 'select' : (command.toLowerCase() as Command))
