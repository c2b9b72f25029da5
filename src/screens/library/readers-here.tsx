import { useQuery } from '@tanstack/react-query'
import { Avatar } from '../../components/avatar.tsx'
import { Tooltip } from '../../components/tooltip.tsx'
import { avatarUrl } from '../../domain/avatar-url.ts'
import { useLibraryLive } from '../../features/live/library-live.tsx'
import { membersQuery } from '../../features/members/queries.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { classNames } from '../../lib/ui/class-names.ts'

type ReadersHereProps = {
  library: string
  document?: string
  following?: string | undefined
  onFollow?: (person: string | undefined) => void
}

/** Other people here. Names come from the member list, because channel messages can be forged. */
export function ReadersHere({ library, document, following, onFollow }: ReadersHereProps) {
  const { user } = useSession()
  const { people } = useLibraryLive()
  const others = people.filter(({ person, document: open }) => {
    return person !== user.id && (document === undefined || open === document)
  })
  const { data: members = [] } = useQuery({ ...membersQuery(library), enabled: others.length > 0 })
  const known = others.flatMap((presence) => {
    const member = members.find(({ user_id }) => user_id === presence.person)
    return member ? [{ ...presence, profile: member.profile }] : []
  })
  if (known.length === 0) return null
  return (
    <ul aria-label={document ? t('Reading this now') : t('Here now')} className="flex -space-x-1.5">
      {known.map(({ person, page, profile }) => (
        <li key={person}>
          <Tooltip
            text={
              document && page
                ? t('{name}, page {page}', { name: profile.display_name, page })
                : t('{name} is here', { name: profile.display_name })
            }
          >
            {onFollow ? (
              <button
                type="button"
                aria-pressed={person === following}
                aria-label={t('Follow {name}', { name: profile.display_name })}
                onClick={() => onFollow(person === following ? undefined : person)}
                className={classNames(
                  'inline-flex rounded-full ring-2',
                  person === following ? 'ring-accent' : 'ring-paper',
                )}
              >
                <Avatar
                  decorative
                  name={profile.display_name}
                  src={avatarUrl(profile.avatar_path)}
                  className="size-7"
                />
              </button>
            ) : (
              <span className="inline-flex rounded-full ring-2 ring-paper">
                <Avatar name={profile.display_name} src={avatarUrl(profile.avatar_path)} className="size-7" />
              </span>
            )}
          </Tooltip>
        </li>
      ))}
    </ul>
  )
}
