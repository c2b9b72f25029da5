import { z } from 'zod'
import { BranchError, type BranchPlace, createBranch, deleteSnapshot, saveSnapshot, switchBranch } from './branches.ts'
import { forkState, keepFork } from './fork.ts'
import { deleteBranch, emptyState, keepForUndo, restoreSnapshot, undoState } from './undo.ts'

const Name = z.string()
/** Deletes the replaced state instead of keeping it for `undo`. */
const Discards = z.boolean().exactOptional()

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
  z.strictObject({ do: z.literal('delete'), name: Name, discards: Discards }),
  z.strictObject({ do: z.literal('save-snapshot'), name: Name }),
  z.strictObject({ do: z.literal('restore-snapshot'), name: Name, discards: Discards }),
  z.strictObject({ do: z.literal('delete-snapshot'), name: Name }),
  /** Keeps a copy of the state for `undo`. The name is that of the command that is about to change it. */
  z.strictObject({ do: z.literal('keep'), name: Name }),
  /** Begins with an empty state. The name is that of the command. */
  z.strictObject({ do: z.literal('empty'), name: Name, discards: Discards }),
  /** Gives a new backend of this name a copy of the state. */
  z.strictObject({ do: z.literal('fork'), name: Name }),
  /** Replaces the state with that of another backend, which the caller has locked. */
  z.strictObject({ do: z.literal('keep-fork'), name: Name, discards: Discards }),
  /** Exchanges the state for that of a kept snapshot. */
  z.strictObject({ do: z.literal('undo'), name: Name }),
])
export type BranchChange = z.infer<typeof BranchChange>

/** Sends a change to the running backend at an address.
 *  @throws {BranchError} if it refuses. */
export async function sendChange(url: string, secretKey: string, change: BranchChange): Promise<Response> {
  const body = JSON.stringify(change)
  const response = await fetch(`${url}/undock/v1/branches`, { method: 'POST', headers: { apikey: secretKey }, body })
  if (response.ok) return response
  // A failure that isn't a refusal has no message.
  const { message = `The backend failed (${response.status}). \`undock logs\` shows why.` } = await response
    .json()
    .catch(() => ({}))
  throw new BranchError(message)
}

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
      return deleteBranch(place, name, change.discards)
    case 'save-snapshot':
      return saveSnapshot(place, name)
    case 'restore-snapshot':
      return restoreSnapshot(place, name, change.discards)
    case 'delete-snapshot':
      return deleteSnapshot(place, name)
    case 'keep':
      return keepForUndo(place, name)
    case 'empty':
      return emptyState(place, name, change.discards)
    case 'fork':
      return forkState(place, name)
    case 'keep-fork':
      return keepFork(place, name, change.discards)
    case 'undo':
      return undoState(place, name)
  }
}
