import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ChevronDown } from 'lucide-react'
import { Avatar } from '../../components/avatar.tsx'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Menu, MenuChoice, MenuItem, MenuSeparator } from '../../components/menu.tsx'
import { avatarUrl } from '../../lib/avatar-url.ts'
import { formatDate } from '../../lib/format.ts'
import { keys } from '../../lib/keys.ts'
import { sayFailure } from '../../lib/toast.ts'
import { removeMember, setRole } from './mutations.ts'
import type { Member } from './queries.ts'
import { ROLES } from './roles.ts'

type MemberListProps = { library: string; person: string; members: readonly Member[]; onLeft: () => void }

/** Offers to an owner what the database lets an owner do; the database decides. */
export function MemberList({ library, person, members, onLeft }: MemberListProps) {
  const queryClient = useQueryClient()
  const refresh = () => queryClient.invalidateQueries({ queryKey: keys.members(library) })
  const promotion = useMutation({ ...setRole, onError: sayFailure, onSettled: refresh })
  const removal = useMutation({
    ...removeMember,
    onError: sayFailure,
    onSuccess: (_, gone) => (gone.person === person ? onLeft() : undefined),
    onSettled: refresh,
  })
  const isOwner = members.some(({ user_id, role }) => user_id === person && role === 'owner')

  return (
    <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface">
      {members.map(({ user_id, role, joined_at, profile }) => (
        <li key={user_id} className="flex items-center gap-3.5 px-4 py-3">
          <Avatar decorative name={profile.display_name} src={avatarUrl(profile.avatar_path)} className="size-9" />
          <div className="min-w-0 flex-1">
            <p className="truncate font-medium text-sm">
              {profile.display_name}
              {user_id === person ? <span className="font-normal text-ink-faint"> (you)</span> : null}
            </p>
            <p className="text-ink-faint text-xs">since {formatDate(joined_at)}</p>
          </div>
          {isOwner || user_id === person ? (
            <Menu
              label="Role"
              trigger={
                <Button size="small" aria-label={`${profile.display_name}: ${role}`}>
                  {role}
                  <ChevronDown aria-hidden />
                </Button>
              }
            >
              {isOwner ? (
                <>
                  <MenuChoice
                    value={role}
                    onChange={(chosen) => promotion.mutate({ library, person: user_id, role: chosen })}
                    options={ROLES}
                  />
                  <MenuSeparator />
                </>
              ) : null}
              <MenuItem danger onSelect={() => removal.mutate({ library, person: user_id })}>
                {user_id === person ? 'Leave this library' : 'Remove from the library'}
              </MenuItem>
            </Menu>
          ) : (
            <Badge>{role}</Badge>
          )}
        </li>
      ))}
    </ul>
  )
}
