import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox, Field, Input, Select, TextArea } from '../../components/field.tsx'
import { CallerInput } from '../../components/view-as.tsx'
import { relationsQuery } from '../catalog.ts'
import type { Question } from './queries.ts'
import { ACTIONS, draftOf, partsOf, type QuestionDraft, questionOf, withAction } from './question-draft.ts'

type QuestionFormProps = { question: Question; isPending: boolean; onAsk: (question: Question) => void }

/** Edits the question to explain: who would do what. */
export function QuestionForm({ question, isPending, onAsk }: QuestionFormProps) {
  const [as, setAs] = useState(question.as)
  const [draft, setDraft] = useState(() => draftOf(question))
  const [fault, setFault] = useState<string>()
  const { action } = draft
  const { takesWhere, takesRow, canReturn } = partsOf(action)
  const set = (changes: Partial<QuestionDraft>) => setDraft({ ...draft, ...changes })
  const ask = (caller: string | undefined) => {
    if (!caller) return
    try {
      const asked = questionOf(caller, draft)
      setFault(undefined)
      if (asked) onAsk(asked)
    } catch (error) {
      setFault((error as Error).message)
    }
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
      <Select label="Does what" value={action} onValue={(value) => setDraft(withAction(draft, value))}>
        {ACTIONS.map(({ kind, actions }) => (
          <optgroup key={kind} label={kind}>
            {actions.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </optgroup>
        ))}
      </Select>
      <TargetField action={action} value={draft.target} onChange={(target) => set({ target })} />
      {takesWhere ? (
        <Field label="Which rows" hint="A condition as in SQL; empty for all rows.">
          {(id) => (
            <Input
              id={id}
              className="font-mono text-xs"
              placeholder="id = 1"
              value={draft.where}
              onValue={(where) => set({ where })}
            />
          )}
        </Field>
      ) : null}
      {takesRow ? (
        <TextArea
          label={action === 'update' ? 'Changed values' : 'Values'}
          hint={action === 'update' ? 'A JSON object. Without it, the new rows are not checked.' : 'A JSON object.'}
          rows={4}
          className="font-mono text-xs"
          placeholder='{"title": "New"}'
          value={draft.row}
          onValue={(row) => set({ row })}
        />
      ) : null}
      {canReturn ? (
        <Checkbox
          label="Return the rows, as .select() does"
          checked={draft.isReturning}
          onChange={({ target }) => set({ isReturning: target.checked })}
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

type TargetFieldProps = { action: string; value: string; onChange: (target: string) => void }

/** What an action is about; the tables and views of the project are proposed. */
function TargetField({ action, value, onChange }: TargetFieldProps) {
  const list = useId()
  const relations = useQuery(relationsQuery)
  const { isTable, target } = partsOf(action)
  return (
    <Field label={target.label}>
      {(id) => (
        <>
          <Input
            id={id}
            required
            list={isTable ? list : undefined}
            placeholder={target.example}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
          <datalist id={list}>
            {relations.data?.map(({ schema, name }) => (
              <option key={`${schema}.${name}`} value={`${schema}.${name}`} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}
