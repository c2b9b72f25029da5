import { Link } from '@tanstack/react-router'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import type { RelationDetail } from '../catalog.ts'
import { ApplyDialog } from '../migrations/apply-dialog.tsx'
import { rowSecurityChange, type SqlChange } from '../schema/table-changes.ts'
import { Expression } from './answer-view.tsx'
import { dropPolicySql, policyText } from './policy-sql.ts'
import { Trial } from './trial.tsx'

/** A table's policies with their full text, and the row security switch. */
export function PolicyList({ relation }: { relation: RelationDetail }) {
  const [change, setChange] = useState<SqlChange | null>(null)
  const [isApplying, setIsApplying] = useState(false)
  const { schema, name, rowSecurity, policies } = relation
  return (
    <div className="grid min-w-0 gap-6">
      <Panel
        title="Row security"
        actions={
          <Button look={rowSecurity ? 'danger' : 'primary'} onClick={() => setChange(rowSecurityChange(relation))}>
            {rowSecurity ? 'Turn row security off' : 'Turn row security on'}
          </Button>
        }
      >
        <p className="px-3 py-2.5 text-[13px] text-ink-soft">
          {rowSecurity
            ? policies.length === 0
              ? 'Row security is on, but no policy exists: the API returns and changes rows only with the secret key.'
              : 'Row security is on. A row is allowed when one permissive policy and each restrictive one is true.'
            : 'Row security is off: every privilege on the table applies to all rows, and policies have no effect.'}
        </p>
      </Panel>
      <Panel
        title="Policies"
        actions={
          <Link
            from="/policies/$schema/$name"
            to="."
            search={({ bucket }) => ({ bucket, new: true as const })}
            className="inline-flex h-8 items-center rounded-md bg-accent px-2.5 font-medium text-[13px] text-on-accent hover:brightness-110"
          >
            New policy
          </Link>
        }
      >
        {policies.length === 0 ? (
          <p className="px-3 py-2.5 text-[13px] text-ink-soft">The table has no policy.</p>
        ) : (
          <ul className="divide-y">
            {policies.map((policy) => (
              <li key={policy.name} className="grid gap-1 px-3 py-2 text-[13px]">
                <div className="flex flex-wrap items-center justify-between gap-2">
                  <p>
                    <span className="font-medium">{policy.name}</span>
                    <span className="ml-2 text-ink-faint text-xs">{policyText(policy)}</span>
                  </p>
                  <div className="flex gap-1">
                    <Link
                      from="/policies/$schema/$name"
                      to="."
                      search={{ policy: policy.name }}
                      aria-label={`Change ${policy.name}`}
                      title="Change"
                      className="inline-flex size-8 items-center justify-center rounded-md text-ink-soft hover:bg-panel hover:text-ink [&_svg]:size-4"
                    >
                      <Pencil aria-hidden />
                    </Link>
                    <Button
                      icon={Trash2}
                      look="quiet"
                      aria-label={`Drop ${policy.name}`}
                      title="Drop"
                      onClick={() =>
                        setChange({
                          title: `Drop the policy “${policy.name}”`,
                          sql: dropPolicySql(relation, policy.name),
                          name: `drop_policy_${name}_${policy.name}`,
                        })
                      }
                    />
                  </div>
                </div>
                {policy.using === null ? null : <Expression name="using" text={policy.using} />}
                {policy.check === null ? null : <Expression name="with check" text={policy.check} />}
              </li>
            ))}
          </ul>
        )}
      </Panel>
      {change ? (
        <section aria-label="Change" className="grid gap-4 rounded-lg border border-accent/40 p-3">
          <h2 className="font-semibold">{change.title}</h2>
          <pre className="overflow-auto whitespace-pre-wrap font-mono text-xs">{change.sql}</pre>
          <Trial key={change.sql} relation={relation} sql={change.sql} command="select" />
          <div className="flex justify-end gap-2">
            <Button onClick={() => setChange(null)}>Cancel</Button>
            <Button look="danger" onClick={() => setIsApplying(true)}>
              Review and apply …
            </Button>
          </div>
        </section>
      ) : null}
      {change && isApplying ? (
        <ApplyDialog
          title={`${change.title}: ${schema}.${name}`}
          sql={change.sql}
          name={change.name}
          onApplied={() => {
            setIsApplying(false)
            setChange(null)
          }}
          onClose={() => setIsApplying(false)}
        />
      ) : null}
    </div>
  )
}
