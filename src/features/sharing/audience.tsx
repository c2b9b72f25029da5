import { useQuery } from '@tanstack/react-query'
import { Avatar } from '../../components/avatar.tsx'
import { Badge } from '../../components/badge.tsx'
import { FailureNotice } from '../../components/failure-notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { avatarUrl } from '../../domain/avatar-url.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { audienceQuery } from './queries.ts'

/** Everybody who can see a document: members by their role, others by the collection that was opened to them. */
export function Audience({ library, document }: { library: string; document: string }) {
  const { data: people, error } = useQuery(audienceQuery(library, document))
  return (
    <section aria-labelledby="audience" className="grid gap-2">
      <h3 id="audience" className="eyebrow">
        {t('With an account')}
      </h3>
      <FailureNotice error={error} />
      {people ? (
        <ul className="grid gap-2">
          {people.map(({ user_id, display_name, avatar_path, role, through, group_name }) => (
            <li key={user_id} className="flex items-center gap-3 text-sm">
              <Avatar decorative name={display_name} src={avatarUrl(avatar_path)} className="size-7" />
              <span dir="auto" className="min-w-0 flex-1 truncate">
                {display_name}
              </span>
              <span className="min-w-0 truncate text-ink-faint text-xs">
                {group_name
                  ? t('through “{collection}” and the group “{group}”', {
                      collection: through ?? '',
                      group: group_name,
                    })
                  : through
                    ? t('through “{collection}”', { collection: through })
                    : t('member')}
              </span>
              <Badge>{role === 'reader' ? t('reads') : t('reads and changes')}</Badge>
            </li>
          ))}
        </ul>
      ) : error ? null : (
        <Skeleton className="h-16" />
      )}
    </section>
  )
}
