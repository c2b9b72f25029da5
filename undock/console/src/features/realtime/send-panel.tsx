import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Form, Input, TextArea } from '../../components/field.tsx'
import { Failure } from '../../components/states.tsx'
import { parseObject } from '../../lib/json-source.ts'
import type { Channel, SendOutcome } from './use-channel.ts'

export type SendKind = 'broadcast' | 'presence'

type SendPanelProps = {
  channel: Channel
  /** Something was refused or not answered. */
  onRefused: (kind: SendKind, outcome: SendOutcome) => void
}

/** Sends broadcasts, and tracks a presence. */
export function SendPanel({ channel, onRefused }: SendPanelProps) {
  const isJoined = channel.state.status === 'joined'
  const tell = (kind: SendKind) => (outcome: SendOutcome) => {
    if (outcome !== 'ok') onRefused(kind, outcome)
  }
  return (
    <div className="grid gap-4">
      <BroadcastForm isJoined={isJoined} send={channel.broadcast} onOutcome={tell('broadcast')} />
      <PresenceForm channel={channel} isJoined={isJoined} onOutcome={tell('presence')} />
    </div>
  )
}

type BroadcastFormProps = {
  isJoined: boolean
  send: Channel['broadcast']
  onOutcome: (outcome: SendOutcome) => void
}

function BroadcastForm({ isJoined, send, onOutcome }: BroadcastFormProps) {
  const [event, setEvent] = useState('message')
  const [payload, setPayload] = useState('{"text": "Hello"}')
  const sending = useMutation({
    mutationFn: async () => onOutcome(await send(event, parseObject(payload))),
  })
  return (
    <Form aria-label="Send a broadcast" className="grid gap-2" onSubmit={() => sending.mutate()}>
      <Input label="Event" required value={event} onValue={setEvent} />
      <PayloadField value={payload} onChange={setPayload} />
      <div>
        <Button type="submit" disabled={!isJoined || sending.isPending}>
          Send
        </Button>
      </div>
      <Failure error={sending.error} />
    </Form>
  )
}

type PresenceFormProps = { channel: Channel; isJoined: boolean; onOutcome: (outcome: SendOutcome) => void }

function PresenceForm({ channel: { track, untrack, present }, isJoined, onOutcome }: PresenceFormProps) {
  const [payload, setPayload] = useState('{"status": "online"}')
  const tracking = useMutation({ mutationFn: async () => onOutcome(await track(parseObject(payload))) })
  const untracking = useMutation({ mutationFn: async () => onOutcome(await untrack()) })
  const keys = Object.entries(present)
  return (
    <Form aria-label="Presence" className="grid gap-2 border-t pt-4" onSubmit={() => tracking.mutate()}>
      <PayloadField label="State to be present with" value={payload} onChange={setPayload} />
      <div className="flex gap-2">
        <Button type="submit" disabled={!isJoined || tracking.isPending}>
          Track
        </Button>
        <Button look="quiet" disabled={!isJoined || untracking.isPending} onClick={() => untracking.mutate()}>
          Untrack
        </Button>
      </div>
      <Failure error={tracking.error} />
      {keys.length > 0 ? (
        <section aria-label="Who is present" className="grid gap-1 text-[13px]">
          <h2 className="font-medium text-ink-soft">{keys.length} present</h2>
          <ul className="max-h-48 divide-y overflow-auto rounded-md border">
            {keys.map(([key, metas]) => (
              <li key={key} className="px-2 py-1">
                <p className="truncate">{key}</p>
                <p className="truncate font-mono text-ink-faint text-xs" title={JSON.stringify(metas)}>
                  {metas.map(withoutReference).join(' ')}
                </p>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </Form>
  )
}

const withoutReference = (meta: object): string =>
  JSON.stringify(Object.fromEntries(Object.entries(meta).filter(([name]) => name !== 'presence_ref'))).slice(0, 300)

type PayloadFieldProps = { label?: string; value: string; onChange: (text: string) => void }

const PayloadField = ({ label = 'Payload', value, onChange }: PayloadFieldProps) => (
  <TextArea label={label} rows={3} className="font-mono text-xs" value={value} onValue={onChange} />
)
