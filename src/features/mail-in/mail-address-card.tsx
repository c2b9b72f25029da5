import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { CopyField } from '../../components/copy-field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { SelectField } from '../../components/select.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { formatDate, formatMoment, formatRelativeTime } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { changeMailAddress, createMailAddress, endMailAddress, replaceMailAddress, type Senders } from './mutations.ts'
import type { MailAddress, ReceivedMail } from './queries.ts'

/** Where documents can go; empty for no collection. */
export type CollectionOption = { value: string; label: string }

type MailAddressCardProps = {
  library: string
  address: MailAddress
  domain: string
  places: readonly CollectionOption[]
  /** Whether its owner may still add documents; otherwise its mails are rejected. */
  works: boolean
}

const senders = (): { value: Senders; label: string }[] => [
  { value: 'members', label: t('Members of this library only') },
  { value: 'everybody', label: t('Anyone who knows the address') },
]

export function MailAddressCard({ library, address, domain, places, works }: MailAddressCardProps) {
  const [asked, setAsked] = useState<'replace' | 'end'>()
  const change = useAction(changeMailAddress, { scope: { id: `mail address ${address.id}` } })
  const close = () => setAsked(undefined)
  const replacing = useAction(replaceMailAddress, { onSuccess: close })
  const ending = useAction(endMailAddress, { onSuccess: close })
  const set = (values: Parameters<typeof change.mutate>[0]['change']) =>
    change.mutate({ library, address: address.id, change: values })
  const current = { ...address, ...(change.isPending ? change.variables.change : {}) }
  const text = `${address.name}+${address.secret}@${domain}`
  const place = places.find(({ value }) => value === (current.collection_id ?? ''))?.label ?? ''
  return (
    <article aria-label={place} className="grid gap-5 rounded-lg border border-line bg-surface p-4 sm:p-5">
      <div className="grid gap-2">
        <div className="flex flex-wrap items-center gap-2">
          <h2 dir="auto" className="font-semibold font-serif text-lg">
            {place}
          </h2>
          {current.enabled ? null : <Badge>{t('Turned off')}</Badge>}
        </div>
        <CopyField label={t('Address')} value={text} />
        <p className="text-ink-faint text-xs">
          {t('created by {name} on {date}', {
            name: address.owner?.display_name ?? t('a former member'),
            date: formatDate(address.made_at),
          })}
        </p>
      </div>
      {works ? null : (
        <Notice tone="error">
          {t(
            'Emails to this address are rejected because its owner can no longer add documents. Replace it to take it over.',
          )}
        </Notice>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={t('Documents go to')}
          value={current.collection_id ?? ''}
          onValue={(collection) => set({ collection_id: collection || null })}
          options={places}
        />
        <SelectField<Senders>
          label={t('Who may send')}
          hint={current.senders === 'members' ? t('By the sender named in the email, which can be forged.') : undefined}
          value={current.senders as Senders}
          onValue={(chosen) => set({ senders: chosen })}
          options={senders()}
        />
      </div>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-3">
        <label htmlFor={`takes-${address.id}`} className="me-auto flex items-center gap-3 font-medium text-sm">
          <Checkbox
            id={`takes-${address.id}`}
            checked={current.enabled}
            onChange={({ target }) => set({ enabled: target.checked })}
          />
          {t('Accepts email')}
        </label>
        <Button size="small" onClick={() => setAsked('replace')}>
          {t('Replace…')}
        </Button>
        <Button size="small" look="danger" onClick={() => setAsked('end')}>
          {t('Delete…')}
        </Button>
      </div>
      <ReceivedMails library={library} mails={address.mails} />
      <ConfirmDialog
        open={asked === 'replace'}
        title={t('Replace this address?')}
        action={t('Replace')}
        busy={replacing.isPending}
        onConfirm={() => replacing.mutate({ library, address: address.id })}
        onClose={close}
      >
        {t('Emails to the old address will be rejected. Emails to the new one add documents in your name.')}
      </ConfirmDialog>
      <ConfirmDialog
        open={asked === 'end'}
        title={t('Delete this address?')}
        action={t('Delete the address')}
        busy={ending.isPending}
        onConfirm={() => ending.mutate({ library, address: address.id })}
        onClose={close}
      >
        {t('Emails to it will be rejected, and its list of emails is deleted. Documents that came by email stay.')}
      </ConfirmDialog>
    </article>
  )
}

export function NewMailAddress({ library, places }: { library: string; places: readonly CollectionOption[] }) {
  const [place, setPlace] = useState('')
  const making = useAction(createMailAddress)
  const submit = () => making.mutate({ library, collection: place || null })
  return (
    <Form onSubmit={submit} className="flex flex-wrap items-end gap-3">
      <div className="min-w-48 max-w-sm flex-1">
        <SelectField label={t('New address adds documents to')} value={place} onValue={setPlace} options={places} />
      </div>
      <Button icon={Plus} type="submit" busy={making.isPending}>
        {t('Create an address')}
      </Button>
    </Form>
  )
}

function ReceivedMails({ library, mails }: { library: string; mails: readonly ReceivedMail[] }) {
  if (mails.length === 0) return <p className="text-ink-faint text-sm">{t('No emails yet.')}</p>
  return (
    <ul aria-label={t('Latest emails')} className="divide-y divide-line rounded-lg border border-line">
      {mails.map((mail) => (
        <li key={mail.id} className="grid gap-0.5 px-3 py-2 text-sm">
          <p className="flex items-baseline justify-between gap-3">
            <span dir="auto" className="min-w-0 truncate font-medium">
              {mail.subject || t('No subject')}
            </span>
            <time
              dateTime={mail.received_at}
              title={formatMoment(mail.received_at)}
              className="shrink-0 text-ink-faint text-xs"
            >
              {formatRelativeTime(mail.received_at)}
            </time>
          </p>
          <p className="flex flex-wrap justify-between gap-x-3 text-ink-soft text-xs">
            <bdi className="min-w-0 truncate">{mail.sender_name || mail.sender_address || t('Unknown sender')}</bdi>
            {mail.outcome === 'added' && mail.document_id ? (
              <Link
                to="/l/$library/d/$document"
                params={{ library, document: mail.document_id }}
                className="rounded underline decoration-line underline-offset-4 hover:text-ink hover:decoration-edge"
              >
                {outcomeOf(mail)}
              </Link>
            ) : (
              <span className={mail.outcome === 'added' ? '' : 'text-danger'}>{outcomeOf(mail)}</span>
            )}
          </p>
        </li>
      ))}
    </ul>
  )
}

function outcomeOf({ outcome, documents }: ReceivedMail): string {
  switch (outcome) {
    case 'added':
      return t('{documents, plural, one {One document added} other {# documents added}}', { documents })
    case 'off':
      return t('Rejected: the address is turned off')
    case 'owner':
      return t('Rejected: the address’s owner can’t add documents')
    case 'sender':
      return t('Rejected: the sender isn’t a member')
    default:
      return t('Rejected: more than 50 attachments')
  }
}
