import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../lib/session/use-session.ts'
import { type Member, membersQuery } from './queries.ts'

/** The caller's role, undefined until it's known. It decides what is offered; the database decides what is allowed. */
export function useRole(library: string): Member['role'] | undefined {
  const { user } = useSession()
  const { data } = useQuery({
    ...membersQuery(library),
    select: (members) => members.find(({ user_id }) => user_id === user.id)?.role,
  })
  return data
}
