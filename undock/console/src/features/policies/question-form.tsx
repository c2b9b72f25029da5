import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox, Form, Input, Select, TextArea } from '../../components/field.tsx'
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
      const question = questionOf(caller, draft)
      setFault(undefined)
      if (question) onAsk(question)
    } catch (error) {
      setFault((error as Error).message)
    }
  }
  return (
    <Form
      className="grid content-start gap-3"
      onSubmit={(form) => {
        // Enter in the caller's field submits before it loses the focus.
        ask(new FormData(form).get('caller')?.toString().trim() || as)
      }}
    >
      <CallerInput
        label="Who"
        hint="A role such as anon, or a user by email, phone or id."
        name="caller"
        required
        value={as}
        onChange={setAs}
        placeholder="anon"
      />
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
        <Input
          label="Which rows"
          hint="A condition as in SQL; empty for all rows."
          className="font-mono text-xs"
          placeholder="id = 1"
          value={draft.where}
          onValue={(where) => set({ where })}
        />
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
          onChecked={(isChecked) => set({ isReturning: isChecked })}
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
    </Form>
  )
}

type TargetFieldProps = { action: string; value: string; onChange: (target: string) => void }

/** An action's target; suggests the project's tables and views. */
function TargetField({ action, value, onChange }: TargetFieldProps) {
  const relations = useQuery(relationsQuery)
  const { isTable, target } = partsOf(action)
  return (
    <Input
      label={target.label}
      required
      suggestions={isTable ? (relations.data ?? []).map(({ schema, name }) => `${schema}.${name}`) : []}
      placeholder={target.example}
      value={value}
      onValue={onChange}
    />
  )
}
