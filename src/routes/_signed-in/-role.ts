import { useQuery } from '@tanstack/react-query'
import { type Member, membersQuery } from '../../features/members/queries.ts'
import { useSession } from '../../lib/use-session.ts'

/** The caller's role in a library; undefined until it is known. It only decides what is offered: what may be done is the
 *  database's decision. */
export function useRole(library: string): Member['role'] | undefined {
  const { user } = useSession()
  const { data } = useQuery({
    ...membersQuery(library),
    select: (members) => members.find(({ user_id }) => user_id === user.id)?.role,
  })
  return data
}
