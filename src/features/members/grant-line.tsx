import { FolderOpen, X } from 'lucide-react'
import { IconButton } from '../../components/button.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { classNames } from '../../lib/ui/class-names.ts'
import { type Grantee, removeGrant } from './mutations.ts'
import type { Group } from './queries.ts'

type GrantLineProps = {
  library: string
  grant: Group['grants'][number]
  grantee: Grantee
  name: string
  /** The group that has the grant; undefined for the grantee's own. */
  through?: string
  removable: boolean
}

export function GrantLine({ library, grant, grantee, name, through, removable }: GrantLineProps) {
  const removal = useAction(removeGrant)
  const collection = grant.collection.name
  return (
    <p
      className={classNames(
        'flex basis-full items-center gap-2 text-ink-soft text-xs',
        'person' in grantee && 'ps-[3.125rem]',
      )}
    >
      <FolderOpen aria-hidden className="size-3.5 shrink-0" />
      <span className="min-w-0 truncate">
        {grant.role === 'editor'
          ? t('can read and change “{collection}”', { collection })
          : t('can read “{collection}”', { collection })}
        {through === undefined ? null : (
          <span className="text-ink-faint"> · {t('through the group “{group}”', { group: through })}</span>
        )}
      </span>
      {removable ? (
        <IconButton
          icon={X}
          label={t('Revoke {name}’s access to “{collection}”', { collection, name })}
          busy={removal.isPending}
          onClick={() => removal.mutate({ library, collection: grant.collection.id, grantee })}
        />
      ) : null}
    </p>
  )
}
