import { readProjectConfig } from '../../config/project.ts'
import { readHolder } from '../../database/project/lock.ts'
import { lockPath } from '../place/state-folders.ts'
import { BranchError, type BranchPlace, createBranch, findBranch, findSnapshot, switchBranch } from './branches.ts'
import { applyChange, type BranchChange } from './change.ts'
import { type BranchDifference, compareDatabases, findOther } from './difference.ts'
import { followsGitText, nearestParent, otherGitBranch } from './follow-git.ts'
import { findFork } from './fork.ts'
import { gitBranch } from './git.ts'
import { type BranchList, listBranches } from './list.ts'
import { loadRegistry } from './registry.ts'
import { ageOf, contentOf, lastKept } from './undo.ts'

type StartedCopy = { readonly dbUrl: string; stop(): Promise<void> }

/** Branch and snapshot operations of a running stack. All throw a BranchError if the stack has none or a name is
 *  unknown. */
export type BranchControl = {
  list(): Promise<RunningBranches>
  /** Compares another branch with the current one. */
  compare(other: string): Promise<BranchDifference>
  /** @returns `restart`, to call after responding to the client; null if no restart is needed. */
  change(change: BranchChange): Promise<{ readonly restart: (() => void) | null }>
  /** Starts a new backend of the project with a copy of the data. */
  fork(name: string): Promise<Fork>
  /** Keeps the data before an agent changes it.
   *  @param maxAge Milliseconds: a younger copy made for the same tool is enough.
   *  @returns a note for the agent. */
  keepForUndo(tool: string, maxAge: number): Promise<string>
}

/** @property restartRefusal Why the data can't be replaced while running; null if it can.
 *  @property git The checked-out git branch; null if branches don't follow git or HEAD is detached. */
export type RunningBranches = BranchList & { readonly restartRefusal: string | null; readonly git: string | null }

/** A forked backend, which has the project's keys. */
type Fork = { readonly name: string; readonly url: string; readonly dbUrl: string | null }

type BranchControlOptions = {
  readonly workdir: string
  /** Null for the project's default backend. */
  readonly name: string | null
  readonly root: string
  readonly dbUrl: string
  /** Copies the current state; null for a database undock can't copy. */
  readonly copyCurrent: BranchPlace['copyCurrent'] | null
  /** Starts a copy of the database of an unused state. */
  startCopy(state: string): Promise<StartedCopy>
  /** Serializes operations on the stack's data. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
  /** Stops the stack, runs the work and starts it again; undefined if that's impossible. */
  readonly restart: ((work: () => Promise<void>) => void) | undefined
  /** Starts another backend in the background; undefined if that's impossible. */
  readonly startOther: ((name: string) => Promise<void>) | undefined
}

/** Creates the stack's branch control. Changes that replace the state happen between stop and restart: the caller first
 *  responds to its client, then calls `restart`. */
export function createBranchControl(options: BranchControlOptions): BranchControl {
  const { workdir, name, root, dbUrl, copyCurrent, inTurn, restart } = options
  const followsGit = () => readProjectConfig(workdir).settings.branches === 'git'

  function copies(): NonNullable<typeof copyCurrent> {
    if (!copyCurrent) throw new BranchError(NOT_OURS)
    return copyCurrent
  }

  /** Fills in defaults, and refuses what the next start would undo.
   *  @throws {BranchError} */
  async function resolve(change: BranchChange): Promise<BranchChange> {
    if (!followsGit()) return change
    if (['restore-snapshot', 'empty', 'undo', 'keep-fork'].includes(change.do)) {
      const other = await otherGitBranch(workdir, loadRegistry(root))
      if (other) throw new BranchError(other)
    }
    if (change.do !== 'switch') return change
    if (change.name !== (await gitBranch(workdir))) throw new BranchError(followsGitText(change.name))
    return change.create && change.from === undefined
      ? { ...change, from: await nearestParent(workdir, loadRegistry(root)) }
      : change
  }

  const change: BranchControl['change'] = (asked) =>
    inTurn(async () => {
      const place = { root, copyCurrent: copies() }
      const change = await resolve(asked)
      if (!replaces(root, change)) {
        await applyChange(place, change)
        return { restart: null }
      }
      if (!restart) throw new BranchError(NO_RESTART)
      // Copied while the stack still answers.
      if (change.do === 'switch' && change.create) await createBranch(place, change.name, change.from)
      const work = () => (change.do === 'switch' ? switchBranch({ root }, change.name) : applyChange({ root }, change))
      return { restart: () => restart(work) }
    })

  return {
    change,
    async list() {
      copies()
      return {
        ...(await listBranches(root)),
        restartRefusal: restart ? null : NO_RESTART,
        git: followsGit() ? await gitBranch(workdir) : null,
      }
    },
    async compare(other) {
      copies()
      const { current, folder } = findOther(root, other)
      const copy = await inTurn(() => options.startCopy(folder))
      try {
        return { current, other, ...(await compareDatabases(dbUrl, copy.dbUrl, [])) }
      } finally {
        await copy.stop()
      }
    },
    async fork(fork) {
      if (!options.startOther)
        throw new BranchError(`This backend was started by a program. Fork it in a terminal: \`undock fork ${fork}\`.`)
      await change({ do: 'fork', name: fork })
      await options.startOther(fork)
      const { url = '', dbUrl = null } = (await readHolder(lockPath(workdir, fork))) ?? {}
      return { name: fork, url, dbUrl }
    },
    async keepForUndo(tool, maxAge) {
      if (!copyCurrent) return 'No snapshot was taken: the database is on a server that undock did not start.'
      const last = lastKept(loadRegistry(root))
      const undo = name === null ? '`undock undo`' : `\`undock undo --name ${name}\``
      if (last?.command === tool && ageOf(last) < maxAge) return `${undo} goes back to ${last.createdAt}.`
      const content = await contentOf(dbUrl)
      await change({ do: 'keep', name: tool })
      return `Before this, the backend of ${workdir} had ${content}. They are kept for a day: ${undo} brings them back.`
    },
  }
}

/** Whether the change replaces the backend's state.
 *  @throws {BranchError} for an unknown name. */
function replaces(root: string, change: BranchChange): boolean {
  const registry = loadRegistry(root)
  if (change.do === 'empty') return true
  if (change.do === 'keep-fork') return Boolean(findFork(root, change.name))
  if (change.do === 'restore-snapshot' || change.do === 'undo')
    return findSnapshot(registry, change.name).deleted === undefined
  if (change.do !== 'switch') return false
  return change.create || findBranch(registry, change.name).name !== registry.current
}

export const NOT_OURS =
  'The database is on a server that undock did not start, and undock cannot copy it: branches and snapshots need the native engine or PGlite. Remove database_url from supabase/undock.toml, or leave out --db-url.'

const NO_RESTART =
  'This backend cannot start again by itself, because it was started on free ports or by a program. Stop it, repeat this, and start it again.'
