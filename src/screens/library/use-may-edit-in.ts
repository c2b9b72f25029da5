import { useQuery } from '@tanstack/react-query'
import { editableCollectionsQuery } from '../../features/collections/queries.ts'
import { useRole } from '../../features/members/use-role.ts'

/** Whether to offer editing in a collection, by role or grant; the database decides what is allowed. */
export function useMayEditIn(library: string): (collection: string | null | undefined) => boolean {
  const role = useRole(library)
  const byRole = role === 'editor' || role === 'owner'
  const { data: granted = [] } = useQuery({
    ...editableCollectionsQuery(library),
    enabled: role !== undefined && !byRole,
  })
  return (collection) => byRole || (typeof collection === 'string' && granted.includes(collection))
}
