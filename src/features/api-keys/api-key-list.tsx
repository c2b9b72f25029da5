import { KeyRound } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { expiryText, isLive } from '../../domain/validity.ts'
import { formatDate } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { revokeApiKey } from './mutations.ts'
import type { ApiKey } from './queries.ts'

export function ApiKeyList({ library, apiKeys }: { library: string; apiKeys: readonly ApiKey[] }) {
  const revocation = useAction(revokeApiKey)
  if (apiKeys.length === 0) return <p className="text-ink-soft text-sm">{t('There are no keys yet.')}</p>
  return (
    <ul aria-label={t('API keys')} className="divide-y divide-line rounded-lg border border-line">
      {apiKeys.map((key) => (
        <li key={key.id} className="flex items-start gap-3 px-3 py-3 text-sm">
          <KeyRound aria-hidden className={`mt-0.5 size-4 ${isLive(key) ? 'text-accent' : 'text-ink-faint'}`} />
          <div className="min-w-0 flex-1">
            <p className={isLive(key) ? '' : 'text-ink-faint'}>
              <bdi className="font-medium">{key.name}</bdi>{' '}
              <code dir="ltr" className="text-ink-faint text-xs">
                carrel_…{key.ending}
              </code>
            </p>
            <p className="text-ink-faint text-xs">
              {[
                expiryText(key),
                key.last_used_at ? t('last used on {date}', { date: formatDate(key.last_used_at) }) : t('not used yet'),
                t('created by {name} on {date}', {
                  name: key.author.display_name,
                  date: formatDate(key.created_at),
                }),
              ].join(' · ')}
            </p>
            <p dir="ltr" className="text-ink-faint text-xs rtl:text-end">
              {key.scopes.join(', ')}
            </p>
          </div>
          {isLive(key) ? (
            <Button
              size="small"
              look="danger"
              aria-label={t('Revoke key “{name}”', { name: key.name })}
              busy={revocation.isPending && revocation.variables.key === key.id}
              onClick={() => revocation.mutate({ library, key: key.id })}
            >
              {t('Revoke key')}
            </Button>
          ) : null}
        </li>
      ))}
    </ul>
  )
}
