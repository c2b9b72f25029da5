import { useMutation } from '@tanstack/react-query'
import clsx from 'clsx'
import { Plus, Send, Square, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { TextBlock } from '../../components/copy-button.tsx'
import { Form, Input, Select, TextArea } from '../../components/field.tsx'
import { Facts } from '../../components/page.tsx'
import { Failure } from '../../components/states.tsx'
import { ViewAs } from '../../components/view-as.tsx'
import { refresh } from '../../lib/api.ts'
import { duration } from '../../lib/format.ts'
import { indented } from '../../lib/json-source.ts'
import { type CallDraft, type Header, hasBody, METHODS, NEW_CALL, requestOf, withHeader } from './call-draft.ts'
import { callFunction, type FunctionReply } from './functions.ts'

const ROLES = ['anon', 'none', 'authenticated', 'service_role']

/** Calls a function as any caller and shows the response. */
export function CallForm({ name, verifyJwt }: { name: string; verifyJwt: boolean }) {
  const [draft, setDraft] = useState(NEW_CALL)
  const set = (changes: Partial<CallDraft>) => setDraft({ ...draft, ...changes })
  const { call, cancel, isCancelled, reply, text } = useCall()
  return (
    <section aria-label="Call" className="grid gap-3">
      <Form
        className="grid gap-3"
        onSubmit={() => {
          if (!call.isPending) call.mutate(requestOf(name, draft))
        }}
      >
        <div className="flex flex-wrap items-center gap-2">
          <Select
            aria-label="Method"
            value={draft.method}
            onValue={(method) => set({ method })}
            className="w-28! font-mono"
            options={METHODS}
          />
          <span className="text-ink-faint text-xs">/functions/v1/{name}</span>
          <Input
            aria-label="Path and query after the name"
            placeholder="/path?query=1"
            value={draft.path}
            onValue={(path) => set({ path })}
            className="w-56! font-mono"
          />
          <ViewAs
            value={draft.as}
            onChange={(as) => set({ as })}
            label="Call as"
            otherwise="the secret key"
            roles={ROLES}
          />
          {call.isPending ? (
            <Button icon={Square} look="danger" onClick={cancel}>
              Cancel
            </Button>
          ) : (
            <Button icon={Send} type="submit" look="primary">
              Send
            </Button>
          )}
        </div>
        <p className="text-ink-faint text-xs">
          {verifyJwt
            ? 'anon sends the publishable key, none sends no key and is refused, because this function verifies tokens.'
            : 'anon sends the publishable key, none sends no key. This function accepts both, because verify_jwt is off.'}
        </p>
        <Headers headers={draft.headers} onChange={(headers) => set({ headers })} />
        {hasBody(draft.method) ? (
          <TextArea
            label="Body"
            rows={6}
            value={draft.body}
            onValue={(body) => set({ body })}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
              event.preventDefault()
              event.currentTarget.form?.requestSubmit()
            }}
            className="font-mono text-xs!"
          />
        ) : null}
      </Form>
      {call.error && !isCancelled ? <Failure error={call.error} /> : null}
      {isCancelled ? <p className="text-ink-faint text-xs">The call was cancelled.</p> : null}
      {reply ? <Reply reply={reply} text={text} isArriving={call.isPending} /> : null}
    </section>
  )
}

/** A cancellable call and its streamed reply. */
function useCall() {
  const [reply, setReply] = useState<FunctionReply | null>(null)
  const [text, setText] = useState('')
  const abort = useRef(new AbortController())
  const call = useMutation({
    mutationFn: (request: ReturnType<typeof requestOf>) => {
      abort.current = new AbortController()
      setReply(null)
      setText('')
      return callFunction(request, abort.current.signal, setReply, setText)
    },
    onSettled: () => refresh(['functions']),
  })
  return {
    call,
    cancel: () => abort.current.abort(),
    isCancelled: call.error instanceof DOMException,
    reply,
    text,
  }
}

type HeadersProps = { headers: readonly Header[]; onChange: (headers: readonly Header[]) => void }

function Headers({ headers, onChange }: HeadersProps) {
  const change = (id: number, part: Partial<Header>) =>
    onChange(headers.map((one) => (one.id === id ? { ...one, ...part } : one)))
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 font-medium text-[13px] text-ink-soft">Headers</legend>
      {headers.map(({ id, name, value }) => (
        <div key={id} className="flex gap-1">
          <Input
            aria-label="Name of the header"
            value={name}
            onValue={(name) => change(id, { name })}
            className="w-48! font-mono text-xs!"
          />
          <Input
            aria-label={`Value of ${name || 'the header'}`}
            value={value}
            onChange={({ target }) => change(id, { value: target.value })}
            className="font-mono text-xs!"
          />
          <IconButton
            icon={X}
            label={`Remove ${name || 'the header'}`}
            onClick={() => onChange(headers.filter((one) => one.id !== id))}
          />
        </div>
      ))}
      <div>
        <Button icon={Plus} look="quiet" onClick={() => onChange(withHeader(headers))}>
          Header
        </Button>
      </div>
    </fieldset>
  )
}

type ReplyProps = { reply: FunctionReply; text: string; isArriving: boolean }

function Reply({ reply: { status, statusText, headers, milliseconds }, text, isArriving }: ReplyProps) {
  return (
    <section aria-label="Response" className="rounded-lg border bg-raised">
      <header className="flex items-center gap-3 border-b px-3 py-1.5 text-[13px]">
        <span className={clsx('font-semibold', status >= 400 ? 'text-danger' : 'text-accent')}>
          {status} {statusText}
        </span>
        <span className="text-ink-faint text-xs">{duration(milliseconds)}</span>
        {isArriving ? (
          <span role="status" className="text-ink-faint text-xs">
            is arriving …
          </span>
        ) : null}
      </header>
      <details className="border-b px-3 py-1 text-xs">
        <summary className="cursor-pointer text-ink-soft">{headers.length} headers</summary>
        <Facts facts={headers} className="py-1 font-mono" />
      </details>
      <TextBlock label="Body of the response" text={indented(text) || '(empty)'} className="max-h-96" />
    </section>
  )
}
