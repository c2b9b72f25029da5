import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Field, Select, TextArea } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { Failure } from '../../components/states.tsx'
import { CallerInput } from '../../components/view-as.tsx'
import { counted } from '../../lib/format.ts'
import { parseObject } from '../../lib/json-source.ts'
import type { RelationDetail } from '../catalog.ts'
import { COMMANDS, type Command } from './queries.ts'
import { rowsOf, type Side } from './try-change.ts'

/** @property role The default caller. */
type TrialProps = { relation: RelationDetail; sql: string; command: Command; role?: string | undefined }

const TITLES: Record<Command, string> = {
  select: 'Rows seen',
  insert: 'Rows inserted',
  update: 'Rows updated',
  delete: 'Rows deleted',
}

/** Tries a command as any caller before and after a change, on real rows, and rolls it back. */
export function Trial({ relation, sql, command: proposed, role }: TrialProps) {
  const [caller, setCaller] = useState<string>()
  const [chosen, setChosen] = useState<Command>()
  const [row, setRow] = useState('')
  const as = caller ?? (role === undefined || role === 'public' ? 'anon' : role)
  const command = chosen ?? proposed
  const trial = useMutation({
    mutationFn: async () => {
      const values = command === 'insert' ? JSON.stringify(parseObject(row)) : null
      const question = { relation, command, as, values }
      const [before, after] = [await rowsOf('', question), await rowsOf(sql, question)]
      return { before, after, command, as, sql }
    },
  })
  const { data } = trial
  return (
    <Panel title="Try it">
      <div className="grid gap-3 p-3">
        <div className="grid gap-3 sm:grid-cols-[1fr_8rem]">
          <Field label="As">{(id) => <CallerInput id={id} value={as} onChange={setCaller} />}</Field>
          <Field label="Command">
            {(id) => (
              <Select id={id} value={command} onChange={({ target }) => setChosen(target.value as Command)}>
                {COMMANDS.map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </Select>
            )}
          </Field>
        </div>
        {command === 'insert' ? (
          <Field label="Row to insert" hint="A JSON object; empty for the defaults alone.">
            {(id) => (
              <TextArea
                id={id}
                rows={3}
                className="font-mono text-xs"
                value={row}
                onChange={({ target }) => setRow(target.value)}
              />
            )}
          </Field>
        ) : null}
        <Button className="justify-self-start" disabled={trial.isPending || sql === ''} onClick={() => trial.mutate()}>
          Try, and undo
        </Button>
        {trial.error ? <Failure error={trial.error} /> : null}
        {data ? (
          <div role="status" aria-label="Result of the trial" className="grid gap-3 sm:grid-cols-2">
            <Result title={`${TITLES[data.command]} by ${data.as} now`} side={data.before} />
            <Result title={`${TITLES[data.command]} by ${data.as} after the change`} side={data.after} />
          </div>
        ) : null}
        {data && data.sql !== sql ? (
          <p className="text-warn text-xs">The change is another one since this trial.</p>
        ) : null}
      </div>
    </Panel>
  )
}

function Result({ title, side }: { title: string; side: Side }) {
  return (
    <div className="min-w-0 rounded-md border bg-page p-2.5 text-[13px]">
      <h3 className="text-ink-faint text-xs">{title}</h3>
      {'error' in side ? (
        <p className="mt-1 break-words text-danger">
          {side.error.message}{' '}
          {side.error.code ? <code className="text-ink-faint text-xs">{side.error.code}</code> : null}
        </p>
      ) : (
        <>
          <p className="mt-1 font-medium">
            {counted(side.count, 'row')}
            {side.all === null ? '' : ` of ${side.all}`}
          </p>
          {side.samples.length > 0 ? (
            <ul className="mt-1 max-h-40 overflow-auto font-mono text-xs">
              {side.samples.map((text, index) => (
                <li key={index} className="truncate" title={text.slice(0, 2_000)}>
                  {text.slice(0, 300)}
                </li>
              ))}
            </ul>
          ) : null}
        </>
      )}
    </div>
  )
}
