import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Failure, Loading, Pending } from '../../components/states.tsx'
import { time } from '../../lib/format.ts'
import { useRows } from '../../lib/use-rows.ts'
import { type ListedUser, type UserFilter, userListQuery, userTitle } from './queries.ts'

const ROW_HEIGHT = 40
const COLUMNS =
  'grid grid-cols-[minmax(12rem,2fr)_minmax(7rem,1fr)_minmax(6rem,1fr)_10rem_10rem] items-center gap-3 px-4'

/** Filtered users, loaded while scrolling. Arrow keys move through the list. */
export function UserList({ filter }: { filter: UserFilter }) {
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery(
    userListQuery(filter),
  )
  const users = data?.pages.flat() ?? []
  const { box, items, total, walk } = useRows<HTMLDivElement>({ count: users.length, height: ROW_HEIGHT, overscan: 15 })
  const isAtEnd = (items.at(-1)?.index ?? 0) >= users.length - 20
  useEffect(() => {
    if (isAtEnd && hasNextPage && !isFetchingNextPage && !error) void fetchNextPage()
  }, [isAtEnd, hasNextPage, isFetchingNextPage, error, fetchNextPage])
  if (!data) return <Pending error={error} onRetry={refetch} />
  return (
    <div ref={box} className="h-full overflow-auto">
      <div className="min-w-3xl">
        <div aria-hidden className={`${COLUMNS} sticky top-0 z-1 h-8 border-b bg-panel text-ink-faint text-xs`}>
          <span>User</span>
          <span>Providers</span>
          <span>State</span>
          <span>Created</span>
          <span>Last sign-in</span>
        </div>
        <ul aria-label="List of users" className="relative" style={{ height: total }} onKeyDown={walk}>
          {items.map(({ index, start }) => {
            const user = users[index]
            return user ? (
              <li key={user.id} className="absolute inset-x-0 top-0" style={{ transform: `translateY(${start}px)` }}>
                <Row user={user} index={index} />
              </li>
            ) : null
          })}
        </ul>
        {error ? <Failure error={error} onRetry={() => void fetchNextPage()} /> : null}
        {isFetchingNextPage ? <Loading label="Loading more users" /> : null}
      </div>
    </div>
  )
}

function Row({ user, index }: { user: ListedUser; index: number }) {
  const { id, email, phone, name, providers, createdAt, lastSignInAt } = user
  const more = [name, email && phone ? `+${phone}` : null].filter(Boolean).join(', ')
  return (
    <Link
      to="/users/$id"
      params={{ id }}
      data-row={index}
      className={`${COLUMNS} h-10 border-line/60 border-b text-[13px] hover:bg-panel focus-visible:-outline-offset-2`}
    >
      <span className="truncate">
        <span className="font-medium">{userTitle(user)}</span>
        {more ? <span className="ml-2 text-ink-faint text-xs">{more}</span> : null}
      </span>
      <span className="truncate text-ink-soft">{providers.join(', ')}</span>
      <span className="truncate">
        <StateMark user={user} />
      </span>
      <span className="truncate text-ink-soft text-xs">{time(createdAt)}</span>
      <span className="truncate text-ink-soft text-xs">{lastSignInAt ? time(lastSignInAt) : 'never'}</span>
    </Link>
  )
}

function StateMark({ user: { isDeleted, isBanned, isAnonymous, isConfirmed } }: { user: ListedUser }) {
  if (isDeleted) return <span className="text-danger">deleted</span>
  if (isBanned) return <span className="text-danger">banned</span>
  if (isAnonymous) return <span className="text-ink-soft">anonymous</span>
  return isConfirmed ? <span className="text-ink-soft">confirmed</span> : <span className="text-warn">unconfirmed</span>
}
