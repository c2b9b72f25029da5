import { useMutation } from '@tanstack/react-query'
import { FolderOpen, X } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { t } from '../../lib/i18n.ts'
import { sayFailure } from '../../lib/toast.ts'
import { removeGrant } from './mutations.ts'
import type { Grant } from './queries.ts'

type GrantLineProps = { grant: Grant; name: string; removable: boolean; onRemoved: () => void }

/** One collection that is open to somebody beyond their role. */
export function GrantLine({ grant, name, removable, onRemoved }: GrantLineProps) {
  const removal = useMutation({ ...removeGrant, onError: sayFailure, onSettled: onRemoved })
  const collection = grant.collection.name
  return (
    <p className="flex basis-full items-center gap-2 pl-[3.125rem] text-ink-soft text-xs">
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
          onClick={() => removal.mutate({ collection: grant.collection.id, person: grant.user_id })}
        >
          <X aria-hidden />
        </Button>
      ) : null}
    </p>
  )
}
