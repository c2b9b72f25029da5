import { useMutation } from '@tanstack/react-query'
import { KeyRound, MoreHorizontal, Pencil, Power, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { DAY_MS } from '../../domain/day-range.ts'
import { useAction } from '../../domain/failure-toast.ts'
import { formatMoment } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { DeliveryList } from './delivery-list.tsx'
import { changeWebhook, deleteWebhook, replaceSecret, testWebhook } from './mutations.ts'
import type { Webhook } from './queries.ts'
import { SecretNotice } from './secret-notice.tsx'

type WebhookCardProps = { library: string; webhook: Webhook; onEdit: () => void }

export function WebhookCard({ library, webhook, onEdit }: WebhookCardProps) {
  const [asks, setAsks] = useState<'secret' | 'deletion'>()
  const [isOpen, setIsOpen] = useState(false)
  const of = { library, webhook: webhook.id }
  const test = useAction(testWebhook, { onSuccess: () => setIsOpen(true) })
  const change = useAction(changeWebhook)
  const replacement = useMutation(replaceSecret)
  const deletion = useMutation(deleteWebhook)
  const { is_active: isActive, url } = webhook
  return (
    <li aria-label={url} className="grid gap-3 rounded-lg border border-line bg-surface p-4">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-2">
            <bdi dir="ltr" className="min-w-0 font-medium text-sm [overflow-wrap:anywhere]">
              {url}
            </bdi>
            <State webhook={webhook} />
          </p>
          {webhook.description ? (
            <p dir="auto" className="text-ink-soft text-sm [overflow-wrap:anywhere]">
              {webhook.description}
            </p>
          ) : null}
          <p dir="ltr" className="mt-1 text-start text-ink-faint text-xs [overflow-wrap:anywhere]">
            {webhook.events.join(', ')}
          </p>
        </div>
        <Menu trigger={<IconButton icon={MoreHorizontal} label={t('Actions for {address}', { address: url })} />}>
          <MenuItem icon={Pencil} onSelect={onEdit}>
            {t('Edit')}
          </MenuItem>
          <MenuItem icon={Power} onSelect={() => change.mutate({ ...of, change: { is_active: !isActive } })}>
            {isActive ? t('Turn off') : t('Turn on')}
          </MenuItem>
          <MenuItem icon={KeyRound} onSelect={() => setAsks('secret')}>
            {t('Replace the secret')}
          </MenuItem>
          <MenuSeparator />
          <MenuItem icon={Trash2} danger onSelect={() => setAsks('deletion')}>
            {t('Delete')}
          </MenuItem>
        </Menu>
      </div>
      <Problem webhook={webhook} />
      <div className="flex flex-wrap gap-2">
        <Button size="small" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? t('Hide deliveries') : t('Show deliveries')}
        </Button>
        {isActive ? (
          <Button look="quiet" size="small" busy={test.isPending} onClick={() => test.mutate(of)}>
            <Send aria-hidden className="rtl:-scale-x-100" />
            {t('Send a test event')}
          </Button>
        ) : null}
      </div>
      {isOpen ? <DeliveryList {...of} isActive={isActive} /> : null}
      {asks === 'secret' ? (
        <Dialog
          open
          onOpenChange={() => {
            setAsks(undefined)
            replacement.reset()
          }}
          title={t('Replace the secret')}
          description={t('For 24 hours, deliveries are signed with both secrets, so you can update your receiver.')}
        >
          <FailureNotice error={replacement.error} />
          {replacement.data ? (
            <SecretNotice secret={replacement.data} isReplacement />
          ) : (
            <Button
              look="primary"
              className="justify-self-end"
              busy={replacement.isPending}
              onClick={() => replacement.mutate(of)}
            >
              {t('Create a new secret')}
            </Button>
          )}
        </Dialog>
      ) : null}
      {asks === 'deletion' ? (
        <ConfirmDialog
          title={t('Delete this webhook?')}
          action={t('Delete the webhook')}
          busy={deletion.isPending}
          error={deletion.error}
          onConfirm={() => deletion.mutate(of)}
          onClose={() => setAsks(undefined)}
        >
          {t('Its secret and deliveries are deleted with it. Pending deliveries aren’t sent.')}
        </ConfirmDialog>
      ) : null}
    </li>
  )
}

function State({ webhook: { is_active, failing_since, turned_off_at } }: { webhook: Webhook }) {
  if (!is_active) return <Badge tone={turned_off_at ? 'danger' : 'neutral'}>{t('Off')}</Badge>
  return isFailing(failing_since) ? <Badge tone="danger">{t('Failing')}</Badge> : <Badge tone="accent">{t('On')}</Badge>
}

function Problem({ webhook: { is_active, failing_since, turned_off_at } }: { webhook: Webhook }) {
  if (!is_active && turned_off_at) {
    return (
      <p className="text-danger text-sm">
        {t('It was turned off on {when}: deliveries failed for days, or the receiver said it no longer exists.', {
          when: formatMoment(turned_off_at),
        })}
      </p>
    )
  }
  if (!is_active || failing_since === null) return null
  return (
    <p className={isFailing(failing_since) ? 'text-danger text-sm' : 'text-ink-soft text-sm'}>
      {t('Nothing has been delivered since {when}. The webhook is turned off after five days.', {
        when: formatMoment(failing_since),
      })}
    </p>
  )
}

/** Receivers restart: a webhook counts as failing after a day without a delivery. */
const isFailing = (since: string | null): boolean => since !== null && Date.now() - Date.parse(since) > DAY_MS
