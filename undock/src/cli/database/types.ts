import { spawnSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type pg from 'pg'
import { findConfigFile, readProjectConfig } from '../../config/project.ts'
import { createNotificationListener } from '../../database/postgres/notification-listener.ts'
import { createSerialQueue, ifMissing } from '../../kernel/promises.ts'
import { connectionTo } from '../../kernel/url.ts'
import { readCatalog } from '../../project-tools/types/catalog.ts'
import { typescriptOf } from '../../project-tools/types/typescript.ts'
import { type BackendOptions, findBackend, findWorkdir, splitNames, UsageError } from '../arguments.ts'
import { withClient } from '../database-target.ts'
import { failureText } from '../report.ts'
import { findDatabase, findRunning } from '../running.ts'
import { untilSignal } from '../signals.ts'

type TypesOptions = BackendOptions & {
  readonly file?: string
  readonly schema: readonly string[]
  readonly dbUrl?: string
  readonly check: boolean
  readonly watch: boolean
  readonly format?: string
}

/** `undock types`: prints TypeScript types of the database, or writes them to a file.
 *  @returns 1 if `check` finds the file outdated.
 *  @throws {UsageError} */
export async function types(options: TypesOptions): Promise<number> {
  const { file, check, watch, dbUrl } = options
  if (file === undefined && (check || watch || options.format !== undefined))
    throw new UsageError('Add the file to write: `undock types --watch --file src/database.types.ts`.')
  if (watch && dbUrl !== undefined)
    throw new UsageError("--watch works only with the project's backend. Leave out --db-url or --watch.")
  if (watch && file !== undefined) return followChanges({ ...options, file })
  const database = dbUrl === undefined ? await findDatabase(options) : { url: dbUrl, close: async () => undefined }
  const text = await withClient(database.url, (client) => generate(client, options)).finally(database.close)
  if (file === undefined) {
    process.stdout.write(text)
    return 0
  }
  return keep(resolve(file), text, options)
}

/** The schemas are those of `supabase gen types`: public and the exposed ones. */
async function generate(client: pg.Client, { workdir, schema }: TypesOptions): Promise<string> {
  const folder = findWorkdir(workdir)
  const { api } = readProjectConfig(folder).config
  const exposed = findConfigFile(join(folder, 'supabase')) ? api.schemas : []
  const named = splitNames(schema)
  const catalog = await readCatalog(client, named.length > 0 ? named : [...new Set(['public', ...exposed])])
  return typescriptOf(catalog, api.extra_search_path)
}

/** Writes the types to an outdated file, or only reports it. */
async function keep(path: string, text: string, { check, format, file }: TypesOptions): Promise<number> {
  const old = await readFile(path, 'utf8').catch(ifMissing(null))
  const line = old === null ? 0 : differentLine(old, text)
  if (line === null) return 0
  if (check) {
    const what = old === null ? 'does not exist' : `is out of date from line ${line} on`
    console.error(`${file} ${what}. Update it with \`undock types --file ${file}\`.`)
    return 1
  }
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
  console.error(`Written to ${file}`)
  if (format === undefined) return 0
  const { status } = spawnSync(`${format} ${JSON.stringify(path)}`, { shell: true, stdio: 'inherit' })
  if (status === 0) return 0
  console.error(`\`${format}\` failed, so the file is not formatted.`)
  return 1
}

/** Tokens that a formatter doesn't change. */
const WORD = /[^\s;,'"`|()]+/g

/** The first line where two texts differ, or the last line if the first text ends early.
 *  @returns null if only the layout differs: blanks, quotes, commas, semicolons, brackets around types. */
function differentLine(text: string, other: string): number | null {
  const words = [...text.matchAll(WORD)]
  const others = other.match(WORD) ?? []
  const place = words.findIndex(({ 0: word }, index) => word !== others[index])
  if (place === -1 && words.length === others.length) return null
  const end = place === -1 ? text.length : (words[place]?.index ?? 0)
  return text.slice(0, end).split('\n').length
}

/** Milliseconds without a change before reading the types, because a migration makes many changes. */
const QUIET = 150

/** Writes the file whenever the running backend's schema changes, until a signal.
 *  @throws {NotRunningError} */
async function followChanges(options: TypesOptions & { readonly file: string }): Promise<number> {
  const { dbUrl } = await findRunning(findBackend(options))
  const path = resolve(options.file)
  const inTurn = createSerialQueue()
  let code = 0
  let timer: NodeJS.Timeout | undefined
  const update = () =>
    inTurn(async () => {
      code = await keep(path, await withClient(dbUrl, (client) => generate(client, options)), options)
    }).catch((error: unknown) => console.error(`Couldn't read the types: ${failureText(error)}`))
  const updateSoon = (): void => {
    clearTimeout(timer)
    timer = setTimeout(update, QUIET)
  }
  const listen = (): void => {
    void listener.run('listen pgrst').then(updateSoon, () => undefined)
  }
  // A reset or restart of the backend ends the connection.
  const listener = createNotificationListener({
    address: () => connectionTo(dbUrl),
    onNotification: updateSoon,
    onReconnected: listen,
    onSilence: () => undefined,
  })
  const signal = untilSignal()
  await listener.run('listen pgrst')
  await update()
  console.error(`Updating ${options.file} whenever the schema changes. Press Ctrl-C to stop.`)
  await signal
  clearTimeout(timer)
  await listener.close()
  return options.check ? code : 0
}
