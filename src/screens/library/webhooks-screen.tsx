import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Plus, Webhook as WebhookIcon } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Notice } from '../../components/notice.tsx'
import { useRole } from '../../features/members/use-role.ts'
import { type Webhook, webhooksQuery } from '../../features/webhooks/queries.ts'
import { SecretNotice } from '../../features/webhooks/secret-notice.tsx'
import { WebhookCard } from '../../features/webhooks/webhook-card.tsx'
import { WebhookForm } from '../../features/webhooks/webhook-form.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { SettingsPage } from './settings-page.tsx'

const route = getRouteApi('/_signed-in/l/$library/settings_/webhooks')

export function WebhooksScreen() {
  const { library } = route.useParams()
  const { data: webhooks } = useSuspenseQuery(webhooksQuery(library))
  const role = useRole(library)
  const [edited, setEdited] = useState<Webhook | 'new'>()
  const [secret, setSecret] = useState<string>()
  const add = (
    <Button icon={Plus} look="primary" onClick={() => setEdited('new')}>
      {t('Add a webhook')}
    </Button>
  )
  return (
    <SettingsPage name="webhooks" aside={role === 'owner' && webhooks.length > 0 ? add : null}>
      {role !== 'owner' ? (
        role ? (
          <Notice tone="info">{t('Only owners can see and change a library’s webhooks.')}</Notice>
        ) : null
      ) : (
        <>
          {secret ? <SecretNotice secret={secret} isReplacement={false} /> : null}
          {webhooks.length === 0 ? (
            <EmptyState icon={WebhookIcon} title={t('No webhooks yet')} action={add}>
              {t(
                'A webhook sends a signed message to your server when a document is added, a comment is written or a member joins.',
              )}
            </EmptyState>
          ) : (
            <ul aria-label={t('Webhooks')} className="grid grid-cols-1 gap-4">
              {webhooks.map((webhook) => (
                <WebhookCard key={webhook.id} library={library} webhook={webhook} onEdit={() => setEdited(webhook)} />
              ))}
            </ul>
          )}
        </>
      )}
      {edited ? (
        <Dialog
          open
          onOpenChange={() => setEdited(undefined)}
          title={edited === 'new' ? t('Add a webhook') : t('Edit the webhook')}
        >
          <WebhookForm
            library={library}
            webhook={edited === 'new' ? undefined : edited}
            onDone={(made) => {
              setEdited(undefined)
              if (made) setSecret(made)
            }}
          />
        </Dialog>
      ) : null}
    </SettingsPage>
  )
}
