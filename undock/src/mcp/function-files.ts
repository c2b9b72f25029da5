import { lstat, mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { UserError } from '../kernel/service-error.ts'
import type { Platform } from './package.ts'

/** A function with absolute paths. */
type FunctionInfo = {
  readonly name: string
  readonly entrypoint: string
  /** Empty if the function has none. */
  readonly importMap: string
  readonly verifyJwt: boolean
  /** Why it can't boot, if known. */
  readonly fault: string | null
}

export type FunctionFilesDeps = {
  /** The project's `supabase/functions`. */
  readonly functionsFolder: string
  listFunctions(): Promise<readonly FunctionInfo[]>
}

type Operations = NonNullable<Platform['functions']>
type Deployment = Parameters<Operations['deployEdgeFunction']>[1]
type EdgeFunction = Awaited<ReturnType<Operations['listEdgeFunctions']>>[number]

/** Names that the Supabase CLI accepts for functions. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/
const MAX_FILES = 200
/** The maximum total size of a function's files in bytes. */
const MAX_SIZE = 2 * 1024 * 1024

/** Reads and writes functions as project files; the running stack serves deployed ones immediately. */
export function createFunctionFiles({ functionsFolder, listFunctions }: FunctionFilesDeps): Operations {
  const summaryOf = ({ name, entrypoint, importMap, verifyJwt, fault }: FunctionInfo): EdgeFunction => ({
    id: name,
    slug: name,
    name,
    status: fault === null ? 'ACTIVE' : `cannot boot: ${fault}`,
    version: 1,
    verify_jwt: verifyJwt,
    entrypoint_path: relative(functionsFolder, entrypoint),
    import_map: importMap !== '',
    ...(importMap === '' ? {} : { import_map_path: relative(functionsFolder, importMap) }),
  })
  const find = async (name: string) => (await listFunctions()).find((one) => one.name === name)

  return {
    listEdgeFunctions: async () => (await listFunctions()).map(summaryOf),
    async getEdgeFunction(_project, name) {
      const found = await find(name)
      if (!found) throw new UserError(`There is no function "${name}".`)
      return { ...summaryOf(found), files: await readFiles(dirname(found.entrypoint)) }
    },
    async deployEdgeFunction(_project, deployment) {
      const { name, entrypoint_path, import_map_path, verify_jwt = true, files } = deployment
      if (!NAME.test(name))
        throw new UserError(
          `"${name}" is not a valid name for a function: use a letter, then letters, digits, dashes and underscores.`,
        )
      const folder = join(functionsFolder, name)
      const known = await find(name)
      if ((known?.verifyJwt ?? true) !== verify_jwt)
        throw new UserError(
          `verify_jwt is a setting of config.toml: write "verify_jwt = ${verify_jwt}" under [functions.${name}] in supabase/config.toml and restart the backend, then deploy with verify_jwt = ${verify_jwt}.`,
        )
      const entrypoint = known?.entrypoint ?? join(folder, 'index.ts')
      if (resolve(folder, entrypoint_path) !== entrypoint)
        throw new UserError(`The entrypoint of this function is ${relative(folder, entrypoint)}.`)
      if (import_map_path !== undefined && !files.some((file) => file.name === import_map_path))
        throw new UserError(`The import map ${import_map_path} is not among the files.`)
      const targets = await Promise.all(files.map((file) => targetOf(functionsFolder, folder, file)))
      if (!targets.some(({ path }) => path === entrypoint))
        throw new UserError(`The entrypoint ${entrypoint_path} is not among the files.`)
      checkSize(files)
      for (const { path, content } of targets) {
        await mkdir(dirname(path), { recursive: true })
        await writeFile(path, content)
      }
      return summaryOf(known ?? { name, entrypoint, importMap: '', verifyJwt: true, fault: null })
    },
  }
}

/** Returns where to write a function's file: within supabase/functions, so that functions can share files. @throws {UserError} for any
 *  other place, including through a symbolic link. */
async function targetOf(functionsFolder: string, folder: string, { name, content }: Deployment['files'][number]) {
  const path = resolve(folder, name)
  // Its `${NAME}` would send variables of this machine to any registry.
  if (/^\.npmrc$/i.test(basename(path)))
    throw new UserError('Only a person may write an .npmrc, which uses their variables.')
  const isWithin = (inner: string, outer: string) => inner.startsWith(`${outer}${sep}`)
  const refusal = new UserError(`The file ${name} would not be in supabase/functions.`)
  if (name.includes('\0') || !isWithin(path, resolve(functionsFolder))) throw refusal
  if ((await lstat(path).catch(() => null))?.isSymbolicLink()) throw refusal
  const root = await realpath(functionsFolder).catch(() => null)
  for (
    let parent = dirname(path);
    root !== null && isWithin(parent, resolve(functionsFolder));
    parent = dirname(parent)
  ) {
    const real = await realpath(parent).catch(() => null)
    if (real !== null && !isWithin(real, root)) throw refusal
  }
  return { path, content }
}

function checkSize(files: Deployment['files']): void {
  const size = files.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
  if (files.length > MAX_FILES || size > MAX_SIZE)
    throw new UserError(`A function has at most ${MAX_FILES} files with ${MAX_SIZE} bytes.`)
}

/** Returns the text files in a function's folder. @throws {UserError} if there are too many. */
async function readFiles(folder: string): Promise<{ name: string; content: string }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !relative(folder, path).split(sep).includes('node_modules'))
    .sort()
  const files: { name: string; content: string }[] = []
  let size = 0
  for (const path of paths) {
    size += (await lstat(path)).size
    if (files.length >= MAX_FILES || size > MAX_SIZE)
      throw new UserError(`The function has more than ${MAX_FILES} files or ${MAX_SIZE} bytes. Read them in ${folder}.`)
    files.push({ name: relative(folder, path), content: await readFile(path, 'utf8') })
  }
  return files
}
