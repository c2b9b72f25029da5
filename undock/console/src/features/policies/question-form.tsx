import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox, Field, Input, Select, TextArea } from '../../components/field.tsx'
import { CallerInput } from '../../components/view-as.tsx'
import { parseObject } from '../../lib/json-object.ts'
import { relationsQuery } from '../catalog.ts'
import type { Question } from './queries.ts'

const ACTIONS = [
  { kind: 'Rows of a table or view', actions: ['select', 'insert', 'update', 'delete'] },
  { kind: 'A file of Storage', actions: ['download', 'upload', 'remove'] },
  { kind: 'A topic of Realtime', actions: ['listen', 'send'] },
] as const

/** Actions with values of a new or changed row. */
const WRITES = ['insert', 'update', 'upload', 'send']
const TABLE_ACTIONS: readonly string[] = ACTIONS[0].actions

const kindOf = (action: string): string | undefined =>
  ACTIONS.find(({ actions }) => (actions as readonly string[]).includes(action))?.kind

type QuestionFormProps = { question: Question; isPending: boolean; onAsk: (question: Question) => void }

/** Says who would do what: the question that is explained. */
export function QuestionForm({ question, isPending, onAsk }: QuestionFormProps) {
  const [as, setAs] = useState(question.as)
  const [action, setAction] = useState(question.action ?? 'select')
  const [target, setTarget] = useState(question.target ?? '')
  const [where, setWhere] = useState(question.where ?? '')
  const [row, setRow] = useState(question.row ?? '')
  const [isReturning, setIsReturning] = useState(question.returning === true)
  const [fault, setFault] = useState<string>()
  const list = useId()
  const relations = useQuery(relationsQuery)
  const isTable = TABLE_ACTIONS.includes(action)
  const takesRow = WRITES.includes(action)
  /** The target and the values of a table are none of a file or a topic. */
  const changeAction = (next: string) => {
    setAction(next)
    if (kindOf(next) === kindOf(action)) return
    setTarget('')
    setRow('')
  }
  const ask = (caller: string | undefined) => {
    if (!caller || target.trim() === '') return
    try {
      if (takesRow) parseObject(row)
    } catch (error) {
      setFault((error as Error).message)
      return
    }
    setFault(undefined)
    onAsk({
      as: caller,
      action,
      target: target.trim(),
      where: isTable && action !== 'insert' && where.trim() ? where.trim() : undefined,
      row: takesRow && row.trim() ? row.trim() : undefined,
      returning: isTable && action !== 'select' && isReturning ? true : undefined,
    })
  }
  return (
    <form
      className="grid content-start gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        // Enter in the caller's field comes before the field is left.
        ask(new FormData(event.currentTarget).get('caller')?.toString().trim() || as)
      }}
    >
      <Field label="Who" hint="A role such as anon, or a user by email, phone or id.">
        {(id) => <CallerInput id={id} name="caller" required value={as} onChange={setAs} placeholder="anon" />}
      </Field>
      <Field label="Does what">
        {(id) => (
          <Select id={id} value={action} onChange={({ target: { value } }) => changeAction(value)}>
            {ACTIONS.map(({ kind, actions }) => (
              <optgroup key={kind} label={kind}>
                {actions.map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </optgroup>
            ))}
          </Select>
        )}
      </Field>
      <Field label={isTable ? 'Table or view' : action === 'listen' || action === 'send' ? 'Topic' : 'Bucket and path'}>
        {(id) => (
          <>
            <Input
              id={id}
              required
              list={isTable ? list : undefined}
              placeholder={
                isTable ? 'public.notes' : action === 'listen' || action === 'send' ? 'room:1' : 'avatars/me.png'
              }
              value={target}
              onChange={(event) => setTarget(event.target.value)}
            />
            <datalist id={list}>
              {relations.data?.map(({ schema, name }) => (
                <option key={`${schema}.${name}`} value={`${schema}.${name}`} />
              ))}
            </datalist>
          </>
        )}
      </Field>
      {isTable && action !== 'insert' ? (
        <Field label="Which rows" hint="A condition as in SQL; empty for all rows.">
          {(id) => (
            <Input
              id={id}
              className="font-mono text-xs"
              placeholder="id = 1"
              value={where}
              onChange={(event) => setWhere(event.target.value)}
            />
          )}
        </Field>
      ) : null}
      {takesRow ? (
        <Field
          label={action === 'update' ? 'Changed values' : 'Values'}
          hint={action === 'update' ? 'A JSON object. Without it, the new rows are not checked.' : 'A JSON object.'}
        >
          {(id) => (
            <TextArea
              id={id}
              rows={4}
              className="font-mono text-xs"
              placeholder='{"title": "New"}'
              value={row}
              onChange={(event) => setRow(event.target.value)}
            />
          )}
        </Field>
      ) : null}
      {isTable && action !== 'select' ? (
        <Checkbox
          label="Return the rows, as .select() does"
          checked={isReturning}
          onChange={(event) => setIsReturning(event.target.checked)}
        />
      ) : null}
      {fault ? (
        <p role="alert" className="text-[13px] text-danger">
          {fault}
        </p>
      ) : null}
      <div>
        <Button type="submit" look="primary" disabled={isPending}>
          Explain
        </Button>
      </div>
    </form>
  )
}
