import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ChevronDown } from 'lucide-react'
import { Avatar } from '../../components/avatar.tsx'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Menu, MenuChoice, MenuItem, MenuSeparator } from '../../components/menu.tsx'
import { avatarUrl } from '../../lib/avatar-url.ts'
import { formatDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { keys } from '../../lib/keys.ts'
import { nameRole } from '../../lib/roles.ts'
import { sayFailure } from '../../lib/toast.ts'
import { GrantLine } from './grant-line.tsx'
import { removeMember, setRole } from './mutations.ts'
import type { Grant, Member } from './queries.ts'
import { roleChoices } from './roles.ts'

type MemberListProps = {
  library: string
  person: string
  members: readonly Member[]
  grants: readonly Grant[]
  onLeft: () => void
  /** Opens what grants a collection to this person. */
  onGrant: (member: Member) => void
}

/** Offers to an owner what the database lets an owner do; the database decides. */
export function MemberList({ library, person, members, grants, onLeft, onGrant }: MemberListProps) {
  const queryClient = useQueryClient()
  const refresh = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: keys.members(library) }),
      queryClient.invalidateQueries({ queryKey: keys.grants(library) }),
    ])
  const promotion = useMutation({ ...setRole, onError: sayFailure, onSettled: refresh })
  const removal = useMutation({
    ...removeMember,
    onError: sayFailure,
    onSuccess: (_, gone) => (gone.person === person ? onLeft() : undefined),
    onSettled: refresh,
  })
  const isOwner = members.some(({ user_id, role }) => user_id === person && role === 'owner')

  return (
    <ul
      aria-label={t('Members')}
      className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface"
    >
      {members.map((member) => {
        const { user_id, role, joined_at, profile } = member
        return (
          <li key={user_id} className="flex flex-wrap items-center gap-x-3.5 gap-y-2 px-4 py-3">
            <Avatar decorative name={profile.display_name} src={avatarUrl(profile.avatar_path)} className="size-9" />
            <div className="min-w-0 flex-1 basis-40">
              <p className="truncate font-medium text-sm">
                {profile.display_name}
                {user_id === person ? <span className="font-normal text-ink-faint"> {t('(you)')}</span> : null}
              </p>
              <p className="text-ink-faint text-xs">{t('since {date}', { date: formatDate(joined_at) })}</p>
            </div>
            {isOwner || user_id === person ? (
              <Menu
                label={t('Role')}
                trigger={
                  <Button size="small" aria-label={`${profile.display_name}: ${nameRole(role)}`}>
                    {nameRole(role)}
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
                      <MenuItem onSelect={() => onGrant(member)}>{t('Open a collection to them…')}</MenuItem>
                    ) : null}
                  </>
                ) : null}
                <MenuItem danger onSelect={() => removal.mutate({ library, person: user_id })}>
                  {user_id === person ? t('Leave this library') : t('Remove from the library')}
                </MenuItem>
              </Menu>
            ) : (
              <Badge>{nameRole(role)}</Badge>
            )}
            {grants
              .filter((grant) => grant.user_id === user_id)
              .map((grant) => (
                <GrantLine
                  key={grant.collection.id}
                  grant={grant}
                  removable={isOwner}
                  name={profile.display_name}
                  onRemoved={refresh}
                />
              ))}
          </li>
        )
      })}
    </ul>
  )
}
