import { useMutation } from '@tanstack/react-query'
import { ShieldQuestion } from 'lucide-react'
import { useState } from 'react'
import type { Answer } from '../../../../src/access/index.ts'
import { Button } from '../../components/button.tsx'
import { Form, TextArea } from '../../components/field.tsx'
import { Failure } from '../../components/states.tsx'
import { service } from '../../lib/api.ts'
import { parseObject } from '../../lib/json-source.ts'
import { AnswerView } from '../policies/answer-view.tsx'
import type { RequestTree } from './queries.ts'

/** Explains why rows were visible, hidden or refused, according to the current grants and policies. */
export function ExplainAccess({ request }: { request: RequestTree }) {
  const [row, setRow] = useState('')
  const hasRow = request.service === 'rest' && ['POST', 'PUT', 'PATCH'].includes(request.method)
  const isInsert = hasRow && request.method !== 'PATCH'
  const explain = useMutation({
    mutationFn: () => {
      const values = row.trim() === '' ? (isInsert ? {} : undefined) : parseObject(row)
      const body = { request: request.id, row: values }
      return service<Answer>('/undock/v1/explain', { method: 'POST', body })
    },
  })
  return (
    <section aria-label="Access" className="grid gap-3">
      <h2 className="font-semibold">Access</h2>
      <Form className="grid gap-2" onSubmit={() => explain.mutate()}>
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
      </Form>
      <Failure error={explain.error} />
      {explain.data ? <AnswerView answer={explain.data} /> : null}
    </section>
  )
}
