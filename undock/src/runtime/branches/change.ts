import { z } from 'zod'
import {
  BranchError,
  type BranchPlace,
  createBranch,
  deleteBranch,
  deleteSnapshot,
  findBranch,
  findSnapshot,
  restoreSnapshot,
  saveSnapshot,
  switchBranch,
} from './branches.ts'
import { loadRegistry } from './registry.ts'

const Name = z.string()

/** A change of a backend's branches or snapshots, as a command sends it to a running backend. */
export const BranchChange = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('create'), name: Name, from: Name.exactOptional() }),
  /** `create`: the branch is made first, with a copy of the state of `from`. */
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

/** Makes a change in a backend whose lock this process holds.
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

export type BranchControl = (change: BranchChange) => Promise<{ readonly restart: (() => void) | null }>

type BranchControlOptions = {
  readonly root: string
  /** Copies the state that the stack works on; null for a database that undock cannot copy. */
  readonly copyCurrent: BranchPlace['copyCurrent'] | null
  /** Runs one operation on the stack's data after another. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
  /** Stops the stack, runs the work and starts the stack again; undefined where nobody can. */
  readonly restart: ((work: () => Promise<void>) => void) | undefined
}

/** What a running stack does with changes. Those that give it another state are made between its end and its new start: the caller
 *  answers its client first, and then calls the `restart` that it gets. */
export function createBranchControl({ root, copyCurrent, inTurn, restart }: BranchControlOptions): BranchControl {
  return (change) =>
    inTurn(async () => {
      if (!copyCurrent) throw new BranchError(NOT_OURS)
      const replacesState = replaces(root, change)
      if (!replacesState) {
        await applyChange({ root, copyCurrent }, change)
        return { restart: null }
      }
      if (!restart) throw new BranchError(NO_RESTART)
      // Copied while the stack still answers.
      if (change.do === 'switch' && change.create) await createBranch({ root, copyCurrent }, change.name, change.from)
      const work = () => (change.do === 'switch' ? switchBranch({ root }, change.name) : applyChange({ root }, change))
      return { restart: () => restart(work) }
    })
}

/** Whether the change gives the backend another state.
 *  @throws {BranchError} when it names what does not exist. */
function replaces(root: string, change: BranchChange): boolean {
  const registry = loadRegistry(root)
  if (change.do === 'restore-snapshot') return Boolean(findSnapshot(registry, change.name))
  if (change.do !== 'switch') return false
  return change.create || findBranch(registry, change.name).name !== registry.current
}

export const NOT_OURS =
  'The database is on a server that undock did not start, and undock cannot copy it: branches and snapshots need the native engine or PGlite. Remove database_url from supabase/undock.toml, or leave out --db-url.'

const NO_RESTART =
  'This backend cannot start again by itself, because it was started on free ports or by a program. Stop it, repeat this, and start it again.'
