import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Plus, Send, Square, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Field, Input, Select, TextArea } from '../../components/field.tsx'
import { Failure } from '../../components/states.tsx'
import { ViewAs } from '../../components/view-as.tsx'
import { callFunction, type FunctionReply } from './functions.ts'
import { Reply } from './reply.tsx'

const METHODS = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']
const ROLES = ['anon', 'none', 'authenticated', 'service_role']

type Header = { readonly id: number; readonly name: string; readonly value: string }

/** Calls a function as anybody and shows its response. */
export function CallForm({ name, verifyJwt }: { name: string; verifyJwt: boolean }) {
  const queryClient = useQueryClient()
  const [method, setMethod] = useState('POST')
  const [path, setPath] = useState('')
  const [body, setBody] = useState('{}')
  const [as, setAs] = useState<string | undefined>('anon')
  const [headers, setHeaders] = useState<readonly Header[]>([
    { id: 0, name: 'content-type', value: 'application/json' },
  ])
  const [reply, setReply] = useState<FunctionReply | null>(null)
  const [text, setText] = useState('')
  const abort = useRef(new AbortController())
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const call = useMutation({
    mutationFn: () => {
      abort.current = new AbortController()
      setReply(null)
      setText('')
      const sent = headers.filter((one) => one.name.trim() !== '').map((one) => [one.name.trim(), one.value] as const)
      const request = { path: name + withSlash(path), method, headers: sent, body: hasBody ? body : null, as }
      return callFunction(request, abort.current.signal, setReply, setText)
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['functions'] }),
  })
  const change = (id: number, part: Partial<Header>) =>
    setHeaders(headers.map((one) => (one.id === id ? { ...one, ...part } : one)))
  const isCancelled = call.error instanceof DOMException
  return (
    <section aria-label="Call" className="grid gap-3">
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (!call.isPending) call.mutate()
        }}
      >
        <div className="flex flex-wrap items-center gap-2">
          <Select
            aria-label="Method"
            value={method}
            onChange={({ target }) => setMethod(target.value)}
            className="w-28! font-mono"
          >
            {METHODS.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </Select>
          <span className="text-ink-faint text-xs">/functions/v1/{name}</span>
          <Input
            aria-label="Path and query after the name"
            placeholder="/path?query=1"
            value={path}
            onChange={({ target }) => setPath(target.value)}
            className="w-56! font-mono"
          />
          <ViewAs value={as} onChange={setAs} label="Call as" otherwise="the secret key" roles={ROLES} />
          {call.isPending ? (
            <Button look="danger" onClick={() => abort.current.abort()}>
              <Square aria-hidden />
              Cancel
            </Button>
          ) : (
            <Button type="submit" look="primary">
              <Send aria-hidden />
              Send
            </Button>
          )}
        </div>
        <p className="text-ink-faint text-xs">
          {verifyJwt
            ? 'anon sends the publishable key, none sends no key and is refused, because this function verifies tokens.'
            : 'anon sends the publishable key, none sends no key. This function accepts both, because verify_jwt is off.'}
        </p>
        <fieldset className="grid gap-1">
          <legend className="mb-1 font-medium text-[13px] text-ink-soft">Headers</legend>
          {headers.map(({ id, name: header, value }) => (
            <div key={id} className="flex gap-1">
              <Input
                aria-label="Name of the header"
                value={header}
                onChange={({ target }) => change(id, { name: target.value })}
                className="w-48! font-mono text-xs!"
              />
              <Input
                aria-label={`Value of ${header || 'the header'}`}
                value={value}
                onChange={({ target }) => change(id, { value: target.value })}
                className="font-mono text-xs!"
              />
              <IconButton
                label={`Remove ${header || 'the header'}`}
                onClick={() => setHeaders(headers.filter((one) => one.id !== id))}
              >
                <X aria-hidden />
              </IconButton>
            </div>
          ))}
          <div>
            <Button
              look="quiet"
              onClick={() =>
                setHeaders([...headers, { id: Math.max(0, ...headers.map(({ id }) => id)) + 1, name: '', value: '' }])
              }
            >
              <Plus aria-hidden />
              Header
            </Button>
          </div>
        </fieldset>
        {hasBody ? (
          <Field label="Body">
            {(id) => (
              <TextArea
                id={id}
                rows={6}
                value={body}
                onChange={({ target }) => setBody(target.value)}
                onKeyDown={(event) => {
                  if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
                  event.preventDefault()
                  event.currentTarget.form?.requestSubmit()
                }}
                className="font-mono text-xs!"
              />
            )}
          </Field>
        ) : null}
      </form>
      {call.error && !isCancelled ? <Failure error={call.error} /> : null}
      {isCancelled ? <p className="text-ink-faint text-xs">The call was cancelled.</p> : null}
      {reply ? <Reply reply={reply} text={text} isArriving={call.isPending} /> : null}
    </section>
  )
}

const withSlash = (path: string): string => {
  const written = path.trim()
  return written === '' || /^[/?]/.test(written) ? written : `/${written}`
}
