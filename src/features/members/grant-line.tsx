import { useMutation } from '@tanstack/react-query'
import { FolderOpen, X } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { showFailure } from '../../domain/failure-toast.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { removeGrant } from './mutations.ts'
import type { Grant } from './queries.ts'

type GrantLineProps = { library: string; grant: Grant; name: string; removable: boolean }

/** A collection that is open to a person beyond their role. */
export function GrantLine({ library, grant, name, removable }: GrantLineProps) {
  const removal = useMutation({ ...removeGrant, onError: showFailure })
  const collection = grant.collection.name
  return (
    <p className="flex basis-full items-center gap-2 ps-[3.125rem] text-ink-soft text-xs">
      <FolderOpen aria-hidden className="size-3.5 shrink-0" />
      <span className="min-w-0 truncate">
        {grant.role === 'editor'
          ? t('reads and changes “{collection}”', { collection })
          : t('reads “{collection}”', { collection })}
      </span>
      {removable ? (
        <Button
          look="quiet"
          size="small-icon"
          aria-label={t('Close “{collection}” to {name}', { collection, name })}
          busy={removal.isPending}
          onClick={() => removal.mutate({ library, collection: grant.collection.id, person: grant.user_id })}
        >
          <X aria-hidden />
        </Button>
      ) : null}
    </p>
  )
}
