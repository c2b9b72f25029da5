import { useQuery } from '@tanstack/react-query'
import { isAtLeast } from '../../domain/roles.ts'
import { editableCollectionsQuery } from '../../features/collections/queries.ts'
import { useRole } from '../../features/members/use-role.ts'

/** Whether to offer editing in a collection, by role or grant; the database decides what is allowed. */
export function useMayEditIn(library: string): (collection: string | null | undefined) => boolean {
  const role = useRole(library)
  const byRole = isAtLeast(role, 'editor')
  const { data: granted = [] } = useQuery({
    ...editableCollectionsQuery(library),
    enabled: role !== undefined && !byRole,
  })
  return (collection) => byRole || (typeof collection === 'string' && granted.includes(collection))
}
