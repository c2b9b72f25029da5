import { useMutation, useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { NameDialog } from '../../components/name-dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { describeAuthError } from '../../domain/auth-messages.ts'
import { formatDate, formatRelativeTime } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { addPasskey, removePasskey, renamePasskey } from './mutations.ts'
import { passkeysQuery } from './queries.ts'

type Passkey = { id: string; friendly_name?: string }

export function Passkeys() {
  const { data: passkeys, error: failure } = useQuery(passkeysQuery)
  const addition = useMutation(addPasskey)
  const removal = useMutation(removePasskey)
  const renaming = useMutation(renamePasskey)
  const [named, setNamed] = useState<Passkey>()
  const error = failure ?? addition.error ?? removal.error ?? renaming.error
  return (
    <div className="grid gap-4">
      {error ? <Notice tone="error">{describeAuthError(error)}</Notice> : null}
      {passkeys === undefined && !failure ? <Skeleton className="h-14" /> : null}
      {passkeys && passkeys.length > 0 ? (
        <ul aria-label={t('Passkeys')} className="grid gap-2">
          {passkeys.map((passkey) => {
            const name = passkey.friendly_name ?? t('Passkey')
            return (
              <li
                key={passkey.id}
                className="flex flex-wrap items-center gap-3 rounded-lg border border-line bg-surface px-4 py-3 text-sm"
              >
                <KeyRound aria-hidden className="size-4 text-accent" />
                <span dir="auto" className="font-medium">
                  {name}
                </span>
                <span className="text-ink-faint">
                  {passkey.last_used_at
                    ? t('last used {when}', { when: formatRelativeTime(passkey.last_used_at) })
                    : t('since {date}', { date: formatDate(passkey.created_at) })}
                </span>
                <span className="ms-auto flex gap-2">
                  <Button size="small" aria-label={t('Rename {name}', { name })} onClick={() => setNamed(passkey)}>
                    {t('Rename')}
                  </Button>
                  <Button
                    look="danger"
                    size="small"
                    aria-label={t('Remove {name}', { name })}
                    busy={removal.isPending && removal.variables === passkey.id}
                    onClick={() => removal.mutate(passkey.id)}
                  >
                    {t('Remove')}
                  </Button>
                </span>
              </li>
            )
          })}
        </ul>
      ) : null}
      <Button className="justify-self-start" busy={addition.isPending} onClick={() => addition.mutate()}>
        {t('Add a passkey')}
      </Button>
      {named ? (
        <NameDialog
          title={t('Name this passkey')}
          label={t('Name')}
          initial={named.friendly_name ?? ''}
          longest={64}
          action={t('Save')}
          onName={(name) => renaming.mutate({ id: named.id, name })}
          onClose={() => setNamed(undefined)}
        />
      ) : null}
    </div>
  )
}
