import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import clsx from 'clsx'
import { Check, ShieldQuestion, X } from 'lucide-react'
import { useState } from 'react'
import type { Answer } from '../../../../src/access/index.ts'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { TextArea } from '../../components/field.tsx'
import { Failure } from '../../components/states.tsx'
import { service } from '../../lib/api.ts'
import type { RequestTree } from './queries.ts'

/** Rows that are shown. */
const SHOWN_ROWS = 50

/** Explains why rows were visible, hidden or refused, according to the current grants and policies. */
export function ExplainAccess({ request }: { request: RequestTree }) {
  const [row, setRow] = useState('')
  const hasRow = request.service === 'rest' && ['POST', 'PUT', 'PATCH'].includes(request.method)
  const isInsert = hasRow && request.method !== 'PATCH'
  const explain = useMutation({
    mutationFn: () => {
      const values = row.trim() === '' ? (isInsert ? {} : undefined) : parseRow(row)
      const body = { request: request.id, row: values }
      return service<Answer>('/undock/v1/explain', { method: 'POST', body })
    },
  })
  return (
    <section aria-label="Access" className="grid gap-3">
      <h2 className="font-semibold">Access</h2>
      <form
        className="grid gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          explain.mutate()
        }}
      >
        {hasRow ? (
          <TextArea
            label="Row"
            hint="The values that the request wrote, as a JSON object, because bodies are not kept. Empty: the defaults alone."
            rows={2}
            className="font-mono text-xs"
            placeholder='{"title": "A book"}'
            value={row}
            onValue={setRow}
          />
        ) : null}
        <div>
          <Button icon={ShieldQuestion} type="submit" disabled={explain.isPending}>
            Explain access
          </Button>
        </div>
      </form>
      {explain.error ? <Failure error={explain.error} /> : null}
      {explain.data ? <Explanation answer={explain.data} /> : null}
    </section>
  )
}

function parseRow(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Refused below.
  }
  throw new Error('The row is a JSON object, such as {"title": "A book"}.')
}

/** An answer about access: the sentence, what would change it, the policies, the rows. */
function Explanation({
  answer: { answer, notes, advice, caller, command, relation, policies, rows },
}: {
  answer: Answer
}) {
  const { sub } = caller.claims as { sub?: string }
  // Those for SELECT decide also about rows that a filter or RETURNING reads.
  const relevant = policies.filter((policy) => ['all', 'select', command].includes(policy.command))
  return (
    <div className="grid gap-4 rounded-lg border bg-raised p-4 text-[13px]">
      <div className="grid gap-1">
        <p role="status" className="break-words font-medium text-[15px]">
          {answer}
        </p>
        <p className="text-ink-soft">
          {caller.role}
          {sub ? `, user ${sub}` : ''} asked to {command} {relation.schema}.{relation.name}
          {relation.kind === 'table' ? `; row security is ${relation.isRowSecurityEnabled ? 'on' : 'off'}` : ''}.
        </p>
        {notes.map((note) => (
          <p key={note} className="text-ink-soft">
            {note}
          </p>
        ))}
      </div>
      {advice.length > 0 ? (
        <div className="grid gap-1">
          <h3 className="font-medium">What would change this</h3>
          {advice.map((line) => (
            <div key={line} className="flex items-center gap-1 rounded-md border bg-page pl-2">
              <code className="min-w-0 flex-1 break-words py-1 font-mono text-xs">{line}</code>
              <CopyButton text={line} label="Copy" />
            </div>
          ))}
        </div>
      ) : null}
      {relation.kind === 'table' ? (
        <p className="flex flex-wrap gap-4">
          <Link
            to="/policies/$schema/$name"
            params={{ schema: relation.schema, name: relation.name }}
            className="text-accent underline"
          >
            Change the policies of {relation.schema}.{relation.name}
          </Link>
          <Link
            to="/policies/$schema/$name"
            params={{ schema: relation.schema, name: relation.name }}
            search={{ new: true, command, role: caller.role }}
            className="text-accent underline"
          >
            Write another policy
          </Link>
        </p>
      ) : null}
      {relevant.length > 0 ? (
        <div className="grid gap-1">
          <h3 className="font-medium">Policies</h3>
          <ul className="divide-y rounded-md border bg-page">
            {relevant.map((policy) => (
              <li key={policy.name} className={clsx('px-2 py-1.5', !policy.appliesToCaller && 'text-ink-faint')}>
                <p>
                  <span className="font-medium">{policy.name}</span> {policy.isPermissive ? '' : 'restrictive, '}for{' '}
                  {policy.command} to {policy.roles.join(', ')}
                  {policy.appliesToCaller ? '' : ' (not for this caller)'}
                </p>
                {policy.using === null ? null : <Code text={`using ${policy.using}`} />}
                {policy.check === null ? null : <Code text={`with check ${policy.check}`} />}
              </li>
            ))}
          </ul>
        </div>
      ) : null}
      {rows.length > 0 ? (
        <div className="grid gap-1">
          <h3 className="font-medium">Rows</h3>
          <ul className="max-h-96 divide-y overflow-auto rounded-md border bg-page">
            {rows.slice(0, SHOWN_ROWS).map(({ row, passes, reason }, index) => (
              <li key={index} className="flex gap-2 px-2 py-1.5">
                {passes ? (
                  <Check aria-label="Allowed" className="size-4 shrink-0 text-accent" />
                ) : (
                  <X aria-label="Not allowed" className="size-4 shrink-0 text-danger" />
                )}
                <div className="min-w-0">
                  <Code text={JSON.stringify(row)} />
                  {reason === null ? null : <p className="break-words text-ink-soft">{reason}</p>}
                </div>
              </li>
            ))}
          </ul>
          {rows.length > SHOWN_ROWS ? <p className="text-ink-faint">and {rows.length - SHOWN_ROWS} more</p> : null}
        </div>
      ) : null}
    </div>
  )
}

const Code = ({ text }: { text: string }) => (
  <pre className="overflow-auto whitespace-pre-wrap break-words font-mono text-xs">{text}</pre>
)
