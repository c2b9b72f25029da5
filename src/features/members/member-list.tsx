import { ChevronDown } from 'lucide-react'
import { Avatar } from '../../components/avatar.tsx'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Menu, MenuChoice, MenuItem, MenuSeparator } from '../../components/menu.tsx'
import { avatarUrl } from '../../domain/avatar-url.ts'
import { useAction } from '../../domain/failure-toast.ts'
import { roleLabel } from '../../domain/roles.ts'
import { formatDate } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { GrantLine } from './grant-line.tsx'
import { removeMember, setRole } from './mutations.ts'
import type { Grant, Group, Member } from './queries.ts'
import { roleChoices } from './roles.ts'

type MemberListProps = {
  library: string
  person: string
  members: readonly Member[]
  grants: readonly Grant[]
  groups: readonly Group[]
  onLeft: () => void
  onGrant: (member: Member) => void
}

/** Offers an owner's actions; the database enforces rights. */
export function MemberList({ library, person, members, grants, groups, onLeft, onGrant }: MemberListProps) {
  const promotion = useAction(setRole)
  const removal = useAction(removeMember, { onSuccess: (_, gone) => (gone.person === person ? onLeft() : undefined) })
  const isOwner = members.some(({ user_id, role }) => user_id === person && role === 'owner')

  return (
    <ul
      aria-label={t('Members')}
      className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface"
    >
      {members.map((member) => {
        const { user_id, role, joined_at, profile } = member
        const own = groups.filter(({ people }) => people.includes(user_id))
        return (
          <li key={user_id} className="flex flex-wrap items-center gap-x-3.5 gap-y-2 px-4 py-3">
            <Avatar decorative name={profile.display_name} src={avatarUrl(profile.avatar_path)} className="size-9" />
            <div className="min-w-0 flex-1 basis-40">
              <p className="truncate font-medium text-sm">
                {profile.display_name}
                {user_id === person ? <span className="font-normal text-ink-faint"> {t('(you)')}</span> : null}
              </p>
              <p className="text-ink-faint text-xs">
                {[t('since {date}', { date: formatDate(joined_at) }), ...own.map(({ name }) => name)].join(' · ')}
              </p>
            </div>
            {isOwner || user_id === person ? (
              <Menu
                label={t('Role')}
                trigger={
                  <Button size="small" aria-label={`${profile.display_name}: ${roleLabel(role)}`}>
                    {roleLabel(role)}
                    <ChevronDown aria-hidden />
                  </Button>
                }
              >
                {isOwner ? (
                  <>
                    <MenuChoice
                      value={role}
                      onChange={(chosen) => promotion.mutate({ library, person: user_id, role: chosen })}
                      options={roleChoices()}
                    />
                    <MenuSeparator />
                    {role === 'guest' || role === 'reader' ? (
                      <MenuItem onSelect={() => onGrant(member)}>{t('Give access to a collection…')}</MenuItem>
                    ) : null}
                  </>
                ) : null}
                <MenuItem danger onSelect={() => removal.mutate({ library, person: user_id })}>
                  {user_id === person ? t('Leave this library') : t('Remove from the library')}
                </MenuItem>
              </Menu>
            ) : (
              <Badge>{roleLabel(role)}</Badge>
            )}
            {grants
              .filter((grant) => grant.user_id === user_id)
              .map((grant) => (
                <GrantLine
                  library={library}
                  key={grant.collection.id}
                  grant={grant}
                  grantee={{ person: user_id }}
                  removable={isOwner}
                  name={profile.display_name}
                />
              ))}
            {own.flatMap(({ id, name, grants }) =>
              grants.map((grant) => (
                <GrantLine
                  library={library}
                  key={`${id} ${grant.collection.id}`}
                  grant={grant}
                  grantee={{ person: user_id }}
                  through={name}
                  removable={false}
                  name={profile.display_name}
                />
              )),
            )}
          </li>
        )
      })}
    </ul>
  )
}
