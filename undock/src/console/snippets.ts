import { createHash, randomUUID } from 'node:crypto'
import { lstat, mkdir, readdir, readFile, realpath, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { createSerialQueue } from '../kernel/promises.ts'
import { ServiceError } from '../kernel/service-error.ts'

/** @property name The path below `supabase/snippets`, with slashes and without `.sql`. */
type SnippetFile = { readonly name: string; readonly bytes: number; readonly modifiedAt: string }

/** @property version Identifies the file's content. */
export type Snippet = { readonly name: string; readonly text: string; readonly version: string }

/** @property isPartial Whether there are more files than listed. */
export type SnippetList = { readonly snippets: readonly SnippetFile[]; readonly isPartial: boolean }

/** Scripts stored as project files, in the same place as Studio's.
 *  @see supabase/cli: `SNIPPETS_MANAGEMENT_FOLDER` of Studio is `supabase/snippets` */
export type Snippets = {
  list(): Promise<SnippetList>
  /** @throws {ServiceError} 400, 404, 413, or 422 for a file that is not UTF-8. */
  read(name: string): Promise<Snippet>
  /** Writes a file unless it changed since `version` was read; null for a new file.
   *  @throws {ServiceError} 400, 409, 413 */
  save(name: string, text: string, version: string | null): Promise<Snippet>
  /** @throws {ServiceError} 400, 404, or 409 if the new name exists. */
  rename(name: string, to: string): Promise<void>
  /** @throws {ServiceError} 400, 404 */
  remove(name: string): Promise<void>
}

/** The maximum size of a snippet in bytes. */
const MAX_BYTES = 512 * 1024
const MAX_FILES = 2_000
const MAX_FOLDERS = 200
const MAX_DEPTH = 8
/** The maximum length of a path in bytes: macOS allows 1,024. */
const MAX_NAME_BYTES = 600
const EXTENSION = '.sql'

/** A name that is valid on every file system: no leading dot, no spaces at the ends. */
const PART = /^(?![. ])[^/\\:*?"<>|\p{Cc}]{1,100}(?<![. ])$/u

/** @param supabaseFolder The project's `supabase` folder. */
export function createSnippets(supabaseFolder: string): Snippets {
  const root = join(supabaseFolder, 'snippets')
  // Requests run one at a time, so that nothing changes between checking a version and writing.
  const inTurn = createSerialQueue()

  /** @throws {ServiceError} 400 for a name that could lead out of the folder. */
  async function pathOf(name: string): Promise<string> {
    const parts = name.split('/')
    const isLong = Buffer.byteLength(name) > MAX_NAME_BYTES || parts.some((part) => Buffer.byteLength(part) > 250)
    if (isLong || parts.length > MAX_DEPTH || !parts.every((part) => PART.test(part))) throw badName(name)
    const path = join(root, ...parts) + EXTENSION
    // A link among the folders could lead elsewhere.
    const [real, realRoot] = [await existing(dirname(path)), await existing(root)]
    if (real !== realRoot && !real.startsWith(realRoot + sep)) throw badName(name)
    return path
  }

  /** The file's bytes, or null. */
  async function load(name: string, path: string): Promise<Buffer | null> {
    const stats = await lstat(path).catch(ifAbsent)
    if (!stats) return null
    if (!stats.isFile()) throw notFile(name)
    if (stats.size > MAX_BYTES) throw tooLarge(name)
    return readFile(path).catch(ifAbsent)
  }

  return {
    async list() {
      const snippets: SnippetFile[] = []
      const folders = [root]
      let isPartial = false
      for (let at = 0; at < folders.length; at += 1) {
        const folder = folders[at] as string
        const entries = (await readdir(folder, { withFileTypes: true }).catch(ifAbsent)) ?? []
        for (const entry of entries) {
          const name = relative(root, join(folder, entry.name)).replaceAll(sep, '/')
          if (!PART.test(entry.name)) continue
          if (entry.isDirectory()) {
            if (name.split('/').length >= MAX_DEPTH || folders.length >= MAX_FOLDERS) isPartial = true
            else folders.push(join(folder, entry.name))
          } else if (entry.isFile() && name.endsWith(EXTENSION)) {
            if (snippets.length >= MAX_FILES) return { snippets: sorted(snippets), isPartial: true }
            const stats = await lstat(join(folder, entry.name)).catch(ifAbsent)
            if (stats)
              snippets.push({
                name: name.slice(0, -EXTENSION.length),
                bytes: stats.size,
                modifiedAt: stats.mtime.toISOString(),
              })
          }
        }
      }
      return { snippets: sorted(snippets), isPartial }
    },
    async read(name) {
      const bytes = await load(name, await pathOf(name))
      if (!bytes) throw absent(name)
      return { name, text: textOf(name, bytes), version: versionOf(bytes) }
    },
    save: (name, text, version) =>
      inTurn(async () => {
        const path = await pathOf(name)
        const stored = await load(name, path)
        if ((stored && versionOf(stored)) !== version) throw changed(name, version, stored)
        // The editor uses one kind of line ending; the file keeps its own.
        const written = Buffer.from(stored?.includes('\r\n') ? text.replaceAll(/\r?\n/g, '\r\n') : text)
        if (written.length > MAX_BYTES) throw tooLarge(name)
        await mkdir(dirname(path), { recursive: true })
        // If the process dies, the old file remains, not a partial new one.
        const draft = join(dirname(path), `.${randomUUID()}.draft`)
        try {
          await writeFile(draft, written, { flag: 'wx' })
          await rename(draft, path)
        } finally {
          await rm(draft, { force: true })
        }
        return { name, text, version: versionOf(written) }
      }),
    rename: (name, to) =>
      inTurn(async () => {
        const [from, target] = [await pathOf(name), await pathOf(to)]
        const [found, taken] = [await lstat(from).catch(ifAbsent), await lstat(target).catch(ifAbsent)]
        if (!found?.isFile()) throw absent(name)
        // On case-insensitive file systems, another spelling is the same file.
        if (taken && taken.ino !== found.ino) throw changed(to, null, null)
        await mkdir(dirname(target), { recursive: true })
        await rename(from, target)
        await removeEmptyFolders(dirname(from), root)
      }),
    remove: (name) =>
      inTurn(async () => {
        const path = await pathOf(name)
        if (!(await lstat(path).catch(ifAbsent))?.isFile()) throw absent(name)
        await rm(path)
        await removeEmptyFolders(dirname(path), root)
      }),
  }
}

const fileOf = (name: string): string => `supabase/snippets/${name}${EXTENSION}`

const badName = (name: string): ServiceError =>
  new ServiceError(
    'invalid_name',
    400,
    `"${name.slice(0, 200)}" is not a valid name for a snippet. Use at most ${MAX_DEPTH} parts separated by slashes, of up to 100 characters each, without \\ : * ? " < > |, and without a dot at the start.`,
  )

const absent = (name: string): ServiceError => new ServiceError('not_found', 404, `There is no file ${fileOf(name)}.`)

const notFile = (name: string): ServiceError =>
  new ServiceError('not_file', 409, `${fileOf(name)} is a folder or a link, which the console does not follow.`)

const tooLarge = (name: string): ServiceError =>
  new ServiceError('too_large', 413, `${fileOf(name)} has more than ${MAX_BYTES / 1024} KB. Use another editor for it.`)

function changed(name: string, version: string | null, known: Buffer | null): ServiceError {
  const what =
    version === null ? 'exists already' : known === null ? 'was deleted or renamed' : 'was changed by another program'
  return new ServiceError('changed', 409, `${fileOf(name)} ${what}.`)
}

const versionOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex').slice(0, 32)

function textOf(name: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ServiceError('not_text', 422, `${fileOf(name)} is not UTF-8.`)
  }
}

const sorted = (snippets: readonly SnippetFile[]): SnippetFile[] =>
  snippets.toSorted((a, b) => a.name.localeCompare(b.name, 'en'))

/** The real path of a file or folder, or of the nearest folder above it that exists. */
async function existing(path: string): Promise<string> {
  const real = await realpath(path).catch(ifAbsent)
  return real ?? join(await existing(dirname(path)), relative(dirname(path), path))
}

async function removeEmptyFolders(folder: string, root: string): Promise<void> {
  if (folder === root) return
  const isRemoved = await rmdir(folder).then(
    () => true,
    () => false,
  )
  if (isRemoved) await removeEmptyFolders(dirname(folder), root)
}

/** @throws errors other than a missing file. */
function ifAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}
