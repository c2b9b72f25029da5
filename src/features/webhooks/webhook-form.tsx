import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Checkbox } from '../../components/checkbox.tsx'
import { TextField } from '../../components/field.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { isWebhookAddress, ownMachineHost, WEBHOOK_EVENTS } from './events.ts'
import { changeWebhook, createWebhook } from './mutations.ts'
import type { Webhook } from './queries.ts'

type WebhookFormProps = {
  library: string
  /** Undefined for a new one. */
  webhook: Webhook | undefined
  /** @param secret The secret of a new webhook. */
  onDone: (secret?: string) => void
}

export function WebhookForm({ library, webhook, onDone }: WebhookFormProps) {
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [description, setDescription] = useState(webhook?.description ?? '')
  const [events, setEvents] = useState<readonly string[]>(webhook?.events ?? ['document.added', 'document.deleted'])
  const [wasSent, setWasSent] = useState(false)
  const creation = useMutation(createWebhook)
  const change = useMutation(changeWebhook)
  const isAddress = isWebhookAddress(url.trim())
  const ownHost = ownMachineHost(url.trim())
  const submit = () => {
    setWasSent(true)
    if (!isAddress || events.length === 0) return
    const draft = { url: url.trim(), description: description.trim(), events: [...events] }
    if (webhook) change.mutate({ library, webhook: webhook.id, change: draft }, { onSuccess: () => onDone() })
    else creation.mutate({ library, draft }, { onSuccess: ({ secret }) => onDone(secret) })
  }
  return (
    <Form noValidate onSubmit={submit} error={creation.error ?? change.error}>
      <TextField
        label={t('Address')}
        hint={
          ownHost === undefined
            ? t('It gets a POST for each event.')
            : t(
                '{host} isn’t on the public internet. Events are sent there only once the service’s administrator allows it in WEBHOOK_ALLOWED_HOSTS.',
                { host: ownHost },
              )
        }
        error={
          wasSent && !isAddress
            ? t('Enter an address that starts with https:// and has no password and no #.')
            : undefined
        }
        type="url"
        dir="ltr"
        maxLength={2048}
        placeholder="https://hooks.example.org/carrel"
        value={url}
        onValue={setUrl}
      />
      <TextField label={t('Description')} column="webhooks.description" value={description} onValue={setDescription} />
      {WEBHOOK_EVENTS.map((group) => (
        <fieldset key={group.label} className="grid gap-2">
          <legend className="mb-1.5 font-medium text-ink text-sm">{t(group.label)}</legend>
          {group.events.map(({ value, label }) => (
            <label key={value} htmlFor={`event-${value}`} className="flex items-start gap-2.5 text-sm">
              <Checkbox
                id={`event-${value}`}
                checked={events.includes(value)}
                onChange={({ target }) =>
                  setEvents(target.checked ? [...events, value] : events.filter((one) => one !== value))
                }
              />
              <span>
                {t(label)}{' '}
                <code dir="ltr" className="text-ink-faint text-xs">
                  {value}
                </code>
              </span>
            </label>
          ))}
        </fieldset>
      ))}
      {wasSent && events.length === 0 ? (
        <p role="alert" className="text-[0.8125rem] text-danger">
          {t('Choose at least one event.')}
        </p>
      ) : null}
      <FormActions
        action={webhook ? t('Save') : t('Add')}
        busy={creation.isPending || change.isPending}
        onCancel={() => onDone()}
      />
    </Form>
  )
}
