import { z } from 'zod'
import {
  type BranchPlace,
  createBranch,
  deleteBranch,
  deleteSnapshot,
  restoreSnapshot,
  saveSnapshot,
  switchBranch,
} from './branches.ts'

const Name = z.string()

/** A change of branches or snapshots, as sent to a running backend. */
export const BranchChange = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('create'), name: Name, from: Name.exactOptional() }),
  /** `create` first creates the branch from a copy of `from`. */
  z.strictObject({
    do: z.literal('switch'),
    name: Name,
    create: z.boolean().exactOptional(),
    from: Name.exactOptional(),
  }),
  z.strictObject({ do: z.literal('delete'), name: Name }),
  z.strictObject({ do: z.literal('save-snapshot'), name: Name }),
  z.strictObject({ do: z.literal('restore-snapshot'), name: Name }),
  z.strictObject({ do: z.literal('delete-snapshot'), name: Name }),
])
export type BranchChange = z.infer<typeof BranchChange>

/** Applies a change; this process must hold the backend's lock.
 *  @throws {BranchError} and nothing is changed. */
export async function applyChange(place: BranchPlace, change: BranchChange): Promise<void> {
  const { name } = change
  switch (change.do) {
    case 'create':
      await createBranch(place, name, change.from)
      return
    case 'switch':
      if (change.create) await createBranch(place, name, change.from)
      return switchBranch(place, name)
    case 'delete':
      return deleteBranch(place, name)
    case 'save-snapshot':
      await saveSnapshot(place, name)
      return
    case 'restore-snapshot':
      return restoreSnapshot(place, name)
    case 'delete-snapshot':
      return deleteSnapshot(place, name)
  }
}
