import type { Provider } from '@supabase/supabase-js'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link2 } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { describeAuthError } from '../../domain/auth-messages.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { linkIdentity, unlinkIdentity } from './mutations.ts'
import { identitiesQuery } from './queries.ts'

type IdentitiesProps = {
  providers: readonly { provider: Provider; name: string }[]
}

export function Identities({ providers }: IdentitiesProps) {
  const { data: identities, error: failure } = useQuery(identitiesQuery)
  const linking = useMutation(linkIdentity)
  const unlinking = useMutation({
    ...unlinkIdentity,
  })
  const error = failure ?? linking.error ?? unlinking.error
  const nameOf = (provider: string) =>
    providers.find((known) => known.provider === provider)?.name ?? (provider === 'email' ? t('Email') : provider)
  const free = providers.filter(({ provider }) => !identities?.some((identity) => identity.provider === provider))
  return (
    <div className="grid gap-4">
      {error ? <Notice tone="error">{describeAuthError(error)}</Notice> : null}
      {identities ? (
        <ul aria-label={t('Linked accounts')} className="divide-y divide-line rounded-lg border border-line bg-surface">
          {identities.map((identity) => (
            <li key={identity.identity_id} className="flex flex-wrap items-center gap-3 px-4 py-3 text-sm">
              <Link2 aria-hidden className="size-4 text-ink-faint" />
              <span className="font-medium">{nameOf(identity.provider)}</span>
              <span dir="auto" className="min-w-0 flex-1 truncate text-ink-faint">
                {emailOf(identity.identity_data)}
              </span>
              {identities.length > 1 ? (
                <Button
                  size="small"
                  aria-label={t('Unlink {name}', { name: nameOf(identity.provider) })}
                  busy={unlinking.isPending && unlinking.variables.identity_id === identity.identity_id}
                  onClick={() => unlinking.mutate(identity)}
                >
                  {t('Unlink')}
                </Button>
              ) : null}
            </li>
          ))}
        </ul>
      ) : failure ? null : (
        <Skeleton className="h-14" />
      )}
      {free.length > 0 ? (
        <div className="flex flex-wrap gap-2">
          {free.map(({ provider, name }) => (
            <Button
              key={provider}
              busy={linking.isPending && linking.variables === provider}
              onClick={() => linking.mutate(provider)}
            >
              {t('Link {name}', { name })}
            </Button>
          ))}
        </div>
      ) : null}
    </div>
  )
}

const emailOf = (data: Record<string, unknown> | undefined): string =>
  typeof data?.email === 'string' ? data.email : ''
