import { CircleAlert, CircleCheck, Upload, X } from 'lucide-react'
import { type ChangeEvent, useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { TextareaField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { Progress } from '../../components/progress.tsx'
import { formatBytes, formatMoment } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import type { Sending, useSending } from './use-sending.ts'

export function SendFiles({ files, add, send, remove }: ReturnType<typeof useSending>) {
  const [sender, setSender] = useState('')
  const [address, setAddress] = useState('')
  const [message, setMessage] = useState('')
  const [isSending, setSending] = useState(false)
  const [receipt, setReceipt] = useState<Date>()
  const chosen = files.filter(({ step }) => step === 'chosen').length
  const sent = files.filter(({ step }) => step === 'sent').length
  const submit = async () => {
    setSending(true)
    await send({ sender, address, message })
    setSending(false)
    setReceipt(new Date())
  }
  const take = ({ target }: ChangeEvent<HTMLInputElement>) => {
    add([...(target.files ?? [])])
    // Allows choosing the same file again.
    target.value = ''
  }
  return (
    <Form onSubmit={() => void submit()}>
      <label
        htmlFor="files-to-send"
        className="grid cursor-pointer justify-items-center gap-2 rounded-xl border-2 border-line border-dashed bg-surface px-4 py-8 text-center focus-within:border-accent hover:border-accent"
      >
        <Upload aria-hidden className="size-7 text-accent" strokeWidth={1.5} />
        <span className="font-medium">{t('Choose files, or drop them here')}</span>
        <input id="files-to-send" type="file" multiple className="sr-only" disabled={isSending} onChange={take} />
      </label>
      {files.length > 0 ? (
        <ul aria-label={t('Files to send')} className="divide-y divide-line rounded-lg border border-line bg-surface">
          {files.map((one) => (
            <SendingRow key={one.id} sending={one} onRemove={isSending ? undefined : () => remove(one.id)} />
          ))}
        </ul>
      ) : null}
      {receipt && sent > 0 && chosen === 0 && !isSending ? (
        <Notice
          tone="success"
          title={t('{count, plural, one {One file has arrived.} other {# files have arrived.}} Thank you.', {
            count: sent,
          })}
        >
          {t('Sent by {name} on {date}. Keep this page as your receipt.', {
            name: sender,
            date: formatMoment(receipt),
          })}
        </Notice>
      ) : null}
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t('Your name')}
          required
          column="received_files.sender_name"
          autoComplete="name"
          value={sender}
          onValue={setSender}
        />
        <TextField
          label={t('Your email (optional)')}
          type="email"
          column="received_files.sender_address"
          autoComplete="email"
          value={address}
          onValue={setAddress}
        />
      </div>
      <TextareaField
        label={t('Message (optional)')}
        column="received_files.message"
        value={message}
        onValue={setMessage}
      />
      <Button type="submit" look="primary" busy={isSending} disabled={chosen === 0} className="sm:justify-self-start">
        {t('{count, plural, =0 {Send} one {Send one file} other {Send # files}}', { count: chosen })}
      </Button>
    </Form>
  )
}

function SendingRow({ sending, onRemove }: { sending: Sending; onRemove: (() => void) | undefined }) {
  const { file, step, sent, reason } = sending
  return (
    <li className="grid gap-1.5 py-2.5 pe-1.5 ps-4 text-sm">
      <div className="flex items-center gap-2">
        {step === 'sent' ? <CircleCheck aria-hidden className="size-4 shrink-0 text-accent-strong" /> : null}
        <span dir="auto" className="min-w-0 flex-1 truncate" title={file.name}>
          {file.name}
        </span>
        <span className="pe-2 text-ink-faint text-xs">
          {step === 'sent' ? t('has arrived') : formatBytes(file.size)}
        </span>
        {onRemove && step !== 'sent' ? (
          <IconButton icon={X} label={t('Remove {name} from the list', { name: file.name })} onClick={onRemove} />
        ) : null}
      </div>
      {step === 'sending' ? (
        <Progress
          value={sent / file.size}
          label={t('Upload of {name}', { name: file.name })}
          className="me-2.5 w-auto"
        />
      ) : null}
      {reason ? (
        <p role="alert" className="flex gap-1.5 pe-2.5 text-danger text-xs leading-relaxed">
          <CircleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          {reason}
        </p>
      ) : null}
    </li>
  )
}
