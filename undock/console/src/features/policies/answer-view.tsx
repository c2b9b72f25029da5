import clsx from 'clsx'
import { Check, Minus, X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { TextLink } from '../../components/link.tsx'
import { Panel } from '../../components/page.tsx'
import { ApplyDialog } from '../migrations/apply-dialog.tsx'
import { policyText } from './policy-sql.ts'
import type { Answer } from './queries.ts'

/** Explains why a caller can or can't do something: the answer, then the facts. */
export function AnswerView({ answer }: { answer: Answer }) {
  const { relation, notes, advice, caller } = answer
  const { sub } = caller.claims as { sub?: string }
  const isTable = relation.kind === 'table'
  return (
    <div className="grid min-w-0 content-start gap-5">
      <section aria-label="Answer" className="rounded-lg border border-accent/40 bg-accent-soft p-3">
        <p role="status" className="break-words font-medium">
          {answer.answer}
        </p>
        {notes.map((note) => (
          <p key={note} className="mt-1 break-words text-[13px] text-ink-soft">
            {note}
          </p>
        ))}
      </section>
      {advice.length > 0 ? <Advice lines={advice} /> : null}
      <Panel title="Grants">
        <dl className="divide-y text-[13px]">
          <Fact name="Caller">
            {caller.role}
            {sub ? (
              <>
                , user{' '}
                <TextLink to="/users/$id" params={{ id: sub }}>
                  {sub}
                </TextLink>
              </>
            ) : null}
          </Fact>
          <Fact name={relation.kind === 'table' ? 'Table' : 'View'}>
            <TextLink to="/policies/$schema/$name" params={{ schema: relation.schema, name: relation.name }}>
              {relation.schema}.{relation.name}
            </TextLink>
            {isTable ? `, row security ${relation.isRowSecurityEnabled ? 'on' : 'off'}` : ''}
          </Fact>
          <Fact name={`Schema ${relation.schema}`}>{relation.mayUseSchema ? 'may be used' : 'may not be used'}</Fact>
          <Fact name={`Privilege ${answer.command}`}>
            {relation.hasPrivilege ? 'on the whole table' : 'not on the whole table'}
          </Fact>
        </dl>
      </Panel>
      {isTable && relation.isRowSecurityEnabled ? <PolicyValues answer={answer} /> : null}
      {answer.rows.length > 0 ? <Rows answer={answer} /> : null}
      <details className="text-[13px]">
        <summary className="cursor-pointer text-ink-soft">Claims of the caller</summary>
        <pre className="mt-2 overflow-auto whitespace-pre-wrap rounded-md border bg-panel p-2.5 font-mono text-xs">
          {JSON.stringify(caller.claims, null, 2)}
        </pre>
      </details>
    </div>
  )
}

const Fact = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <div className="flex gap-3 px-3 py-1.5">
    <dt className="w-40 shrink-0 text-ink-soft">{name}</dt>
    <dd className="min-w-0 flex-1 break-words">{children}</dd>
  </div>
)

const SQL = /^(?:create|grant|alter) /i

function Advice({ lines }: { lines: readonly string[] }) {
  const [applied, setApplied] = useState<string>()
  return (
    <Panel title="What would change this">
      <ul className="divide-y text-[13px]">
        {lines.map((line) => (
          <li key={line} className="flex items-center gap-2 px-3 py-1">
            {SQL.test(line) ? (
              <>
                <code className="min-w-0 flex-1 break-words font-mono text-xs">{line}</code>
                <CopyButton text={line} label="Copy the SQL" />
                {line.includes('…') ? null : <Button onClick={() => setApplied(line)}>Apply …</Button>}
              </>
            ) : (
              <span className="py-1">{line}</span>
            )}
          </li>
        ))}
      </ul>
      {applied ? (
        <ApplyDialog
          title="Apply the change"
          sql={applied}
          name={applied.replace(/[^\w]+/g, '_').slice(0, 60)}
          onClose={() => setApplied(undefined)}
        />
      ) : null}
    </Panel>
  )
}

/** Each policy, and the number of rows it's true for. */
function PolicyValues({ answer: { policies, rows, command, relation, caller } }: { answer: Answer }) {
  const relevant = policies.filter((policy) => ['all', 'select', command].includes(policy.command))
  return (
    <Panel
      title="Policies"
      actions={
        <TextLink
          to="/policies/$schema/$name"
          params={{ schema: relation.schema, name: relation.name }}
          search={{ new: true, command, role: caller.role }}
        >
          Write another policy
        </TextLink>
      }
    >
      {relevant.length === 0 ? (
        <p className="px-3 py-2.5 text-[13px] text-ink-soft">No policy is for {command}: no row is allowed.</p>
      ) : (
        <ul className="divide-y text-[13px]">
          {relevant.map((policy) => {
            const values = rows.flatMap(({ rules }) => rules.filter((rule) => rule.policy === policy.name))
            const held = values.filter(({ value }) => value === true).length
            return (
              <li
                key={policy.name}
                className={clsx('grid gap-1 px-3 py-2', !policy.appliesToCaller && 'text-ink-faint')}
              >
                <p className="flex flex-wrap items-baseline justify-between gap-x-3">
                  <span>
                    <span className="font-medium">{policy.name}</span>
                    <span className="ml-2 text-ink-faint text-xs">{policyText(policy)}</span>
                  </span>
                  <span className="text-xs">
                    {!policy.appliesToCaller
                      ? 'not for this caller'
                      : values.length === 0
                        ? 'not asked'
                        : values.length === 1
                          ? valueText(values[0]?.value ?? null)
                          : `true for ${held} of ${values.length} rows`}
                  </span>
                </p>
                {policy.using === null ? null : <Expression name="using" text={policy.using} />}
                {policy.check === null ? null : <Expression name="with check" text={policy.check} />}
              </li>
            )
          })}
        </ul>
      )}
    </Panel>
  )
}

/** A policy's expression. */
export const Expression = ({ name, text }: { name: string; text: string }) => (
  <pre className="overflow-auto whitespace-pre-wrap font-mono text-xs">
    {name} {text}
  </pre>
)

type Value = Answer['rows'][number]['rules'][number]['value']

const valueText = (value: Value): string =>
  value === null
    ? 'null, which counts as false'
    : typeof value === 'boolean'
      ? String(value)
      : `fails: ${value.message}`

/** Rows shown initially. */
const SHOWN = 20

function Rows({ answer: { rows, isSample } }: { answer: Answer }) {
  const [isAll, setIsAll] = useState(false)
  const visible = isAll ? rows : rows.slice(0, SHOWN)
  const passing = rows.filter(({ passes }) => passes).length
  return (
    <Panel title={`Rows: ${passing} of ${isSample ? `the first ${rows.length}` : rows.length} pass`}>
      <ul className="divide-y text-[13px]">
        {visible.map(({ row, passes, reason, rules }, index) => (
          <li key={index} className="flex gap-2 px-3 py-1.5">
            {passes ? (
              <Check aria-label="passes" className="mt-0.5 size-4 shrink-0 text-accent" />
            ) : (
              <X aria-label="does not pass" className="mt-0.5 size-4 shrink-0 text-danger" />
            )}
            <div className="min-w-0 flex-1">
              <p className="truncate font-mono text-xs" title={JSON.stringify(row).slice(0, 2_000)}>
                {JSON.stringify(row).slice(0, 400)}
              </p>
              {reason ? <p className="break-words text-ink-soft text-xs">{reason}</p> : null}
              {rules.length > 0 ? (
                <details className="text-xs">
                  <summary className="cursor-pointer text-ink-faint">Value of each policy</summary>
                  <ul className="mt-1 grid gap-0.5">
                    {rules.map(({ policy, part, purpose, value }) => (
                      <li key={`${policy} ${part} ${purpose}`} className="flex items-center gap-1.5">
                        <ValueMark value={value} />
                        {policy} ({part === 'check' ? 'with check' : 'using'}, for {purpose}): {valueText(value)}
                      </li>
                    ))}
                  </ul>
                </details>
              ) : null}
            </div>
          </li>
        ))}
      </ul>
      {rows.length > visible.length ? (
        <div className="border-t p-2">
          <Button look="quiet" onClick={() => setIsAll(true)}>
            Show {rows.length - visible.length} more
          </Button>
        </div>
      ) : null}
    </Panel>
  )
}

function ValueMark({ value }: { value: Value }) {
  if (value === true) return <Check aria-hidden className="size-3.5 text-accent" />
  if (value === null) return <Minus aria-hidden className="size-3.5 text-ink-faint" />
  return <X aria-hidden className="size-3.5 text-danger" />
}
