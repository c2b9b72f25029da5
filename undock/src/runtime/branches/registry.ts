import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { UserError } from '../../kernel/service-error.ts'

/** A state folder holds a database, stored files and emails. A backend's first state is its state folder itself (an empty
 *  path); others are in `states/`. */
const Folder = z.string().regex(/^(?:states\/[0-9a-f]{16})?$/)
const Branch = z.object({
  name: z.string(),
  folder: Folder,
  /** The copied branch; null for the first one. */
  parent: z.string().nullable(),
  createdAt: z.string().nullable(),
})
const Snapshot = z.object({
  name: z.string(),
  folder: Folder,
  branch: z.string(),
  createdAt: z.string(),
  /** What changed the state afterwards, such as `reset`; only for snapshots that `undock undo` goes back to. */
  command: z.string().exactOptional(),
  /** Bytes of these snapshots, to limit them without reading them. */
  size: z.number().exactOptional(),
  /** The branch that was deleted and had this state. */
  deleted: Branch.exactOptional(),
})
const Registry = z
  .object({ current: z.string(), branches: z.array(Branch), snapshots: z.array(Snapshot) })
  .refine(({ current, branches }) => branches.some(({ name }) => name === current))

export type Branch = z.infer<typeof Branch>
export type Snapshot = z.infer<typeof Snapshot>
/** A backend's branches and snapshots. Every operation commits by replacing this one file, so a state it doesn't name
 *  doesn't exist, even if partly copied. */
export type Registry = z.infer<typeof Registry>

const FIRST_BRANCH = 'main'

/** `branches.json` is damaged, so states can't be matched to branches. */
export class RegistryError extends UserError {
  constructor(path: string, cause: unknown) {
    super(
      `${path} cannot be read, so undock does not know which data belongs to which branch.\n` +
        'Restore that file. Without it, undock finds only the first data. The rest stays in states/ until you create a branch or snapshot, which deletes it.',
      { cause },
    )
  }
}

export const registryPath = (root: string): string => join(root, 'branches.json')

/** Reads the registry. @param root A backend's state folder.
 *  @returns null if no branch was ever created.
 *  @throws {RegistryError} */
export function readRegistry(root: string): Registry | null {
  const path = registryPath(root)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
  try {
    return Registry.parse(JSON.parse(text))
  } catch (error) {
    throw new RegistryError(path, error)
  }
}

/** Returns the registry of a backend with its initial state only. */
export const newRegistry = (name: string): Registry => ({
  current: name,
  branches: [{ name, folder: '', parent: null, createdAt: null }],
  snapshots: [],
})

export const loadRegistry = (root: string): Registry => readRegistry(root) ?? newRegistry(FIRST_BRANCH)

/** Writes the registry; the caller holds the backend's lock. */
export async function writeRegistry(root: string, registry: Registry): Promise<void> {
  const draft = `${registryPath(root)}.draft`
  await writeFile(draft, `${JSON.stringify(registry, null, 2)}\n`)
  await rename(draft, registryPath(root))
}

/** Returns the folder of the current state. */
export function currentState(root: string): string {
  const { current, branches } = loadRegistry(root)
  return join(root, branches.find(({ name }) => name === current)?.folder ?? '')
}

export const newStateFolder = (): string => `states/${randomBytes(8).toString('hex')}`

/** Removes states missing from the registry, left by an interrupted copy or deletion. The caller holds the backend's
 *  lock. */
export async function removeUnnamedStates(root: string, { branches, snapshots }: Registry): Promise<void> {
  const named = new Set([...branches, ...snapshots].map(({ folder }) => folder))
  const names = await readdir(join(root, 'states')).catch(() => [])
  for (const name of names.filter((name) => !named.has(`states/${name}`)))
    await rm(join(root, 'states', name), { recursive: true, force: true })
}
