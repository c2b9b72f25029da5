import { Ellipsis } from 'lucide-react'
import { Avatar } from '../../components/avatar.tsx'
import { IconButton } from '../../components/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.tsx'
import { avatarUrl } from '../../domain/avatar-url.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { GrantLine } from './grant-line.tsx'
import type { Group, Member } from './queries.ts'

type GroupListProps = {
  library: string
  groups: readonly Group[]
  members: readonly Member[]
  isOwner: boolean
  onEdit: (group: Group) => void
  onGrant: (group: Group) => void
  onDelete: (group: Group) => void
}

const SHOWN = 5

/** Offers an owner's actions; the database enforces rights. */
export function GroupList({ library, groups, members, isOwner, onEdit, onGrant, onDelete }: GroupListProps) {
  return (
    <ul aria-label={t('Groups')} className="divide-y divide-line rounded-lg border border-line bg-surface">
      {groups.map((group) => {
        const people = members.filter(({ user_id }) => group.people.includes(user_id))
        return (
          <li key={group.id} className="flex flex-wrap items-center gap-x-3.5 gap-y-2 px-4 py-3">
            <div className="min-w-0 flex-1 basis-40">
              <p dir="auto" className="truncate font-medium text-sm">
                {group.name}
              </p>
              {group.description ? (
                <p dir="auto" className="text-ink-soft text-xs [overflow-wrap:anywhere]">
                  {group.description}
                </p>
              ) : null}
              <p className="text-ink-faint text-xs">
                {t('{count, plural, one {# person} other {# people}}', { count: people.length })}
              </p>
            </div>
            <div className="flex -space-x-1.5 max-sm:hidden rtl:space-x-reverse">
              {people.slice(0, SHOWN).map(({ user_id, profile }) => (
                <Avatar
                  key={user_id}
                  name={profile.display_name}
                  src={avatarUrl(profile.avatar_path)}
                  className="size-7 ring-2 ring-surface"
                />
              ))}
            </div>
            {isOwner ? (
              <Menu trigger={<IconButton icon={Ellipsis} label={t('Actions for {name}', { name: group.name })} />}>
                <MenuItem onSelect={() => onEdit(group)}>{t('Edit…')}</MenuItem>
                <MenuItem onSelect={() => onGrant(group)}>{t('Give access to a collection…')}</MenuItem>
                <MenuSeparator />
                <MenuItem danger onSelect={() => onDelete(group)}>
                  {t('Delete…')}
                </MenuItem>
              </Menu>
            ) : null}
            {group.grants.map((grant) => (
              <GrantLine
                key={grant.collection.id}
                library={library}
                grant={grant}
                grantee={{ group: group.id }}
                removable={isOwner}
                name={group.name}
              />
            ))}
          </li>
        )
      })}
    </ul>
  )
}
