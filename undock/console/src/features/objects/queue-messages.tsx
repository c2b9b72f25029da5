import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Input } from '../../components/field.tsx'
import { Failure } from '../../components/states.tsx'
import { readJson, type Statement, write } from '../../lib/api.ts'
import { time } from '../../lib/format.ts'
import { qualified } from '../../lib/sql.ts'
import { catalogKey } from '../catalog.ts'
import type { DatabaseObject } from './sections.ts'

type Message = {
  readonly id: string
  readonly message: unknown
  readonly reads: number
  readonly sent: string
  readonly visible: string
}

const SHOWN = 100

/** The newest messages of a queue. Showing them does not take them from a worker. */
export function QueueMessages({ queue: { name } }: { queue: DatabaseObject }) {
  const queryClient = useQueryClient()
  const [text, setText] = useState('{"hello": "world"}')
  const messages = useQuery({
    queryKey: [...catalogKey, 'messages', name],
    queryFn: ({ signal }) =>
      readJson<Message>(
        `select json_build_object('id', msg_id::text, 'message', message, 'reads', read_ct, 'sent', enqueued_at, 'visible', vt)
         from ${qualified('pgmq', `q_${name.toLowerCase()}`)} order by msg_id desc limit ${SHOWN}`,
        [],
        { signal },
      ),
    refetchInterval: 5_000,
  })
  const change = useMutation({
    mutationFn: (statement: Statement) => write([statement]),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: catalogKey }),
  })
  return (
    <>
      <form
        className="flex gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate({ text: 'select pgmq.send($1::text, $2::jsonb)', values: [name, text] })
        }}
      >
        <Input aria-label="Message, as JSON" className="font-mono text-xs" value={text} onValue={setText} />
        <Button type="submit" disabled={change.isPending}>
          Send
        </Button>
      </form>
      {change.error ? <Failure error={change.error} /> : null}
      {messages.error ? <Failure error={messages.error} /> : null}
      {messages.data?.length === 0 ? <p className="text-ink-soft">The queue is empty.</p> : null}
      {messages.data && messages.data.length > 0 ? (
        <ol aria-label="Messages" className="max-h-72 divide-y overflow-auto rounded-md border bg-raised">
          {messages.data.map(({ id, message, reads, sent, visible }) => (
            <li key={id} className="flex items-center gap-3 px-3 py-1 text-xs">
              <span className="w-10 shrink-0 text-ink-faint tabular-nums">{id}</span>
              <code className="min-w-0 flex-1 break-words font-mono">{JSON.stringify(message)}</code>
              <span className="shrink-0 text-ink-soft">
                {Date.parse(visible) > Date.now() ? 'being worked on, ' : ''}
                {reads === 0 ? 'not read' : `read ${reads === 1 ? 'once' : `${reads} times`}`}
              </span>
              <span className="shrink-0 text-ink-faint">{time(sent)}</span>
              <IconButton
                label={`Delete message ${id}`}
                onClick={() => change.mutate({ text: 'select pgmq.delete($1::text, $2::bigint)', values: [name, id] })}
              >
                <Trash2 aria-hidden />
              </IconButton>
            </li>
          ))}
        </ol>
      ) : null}
    </>
  )
}
