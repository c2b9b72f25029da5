// `npm run watch-folder -- FOLDER`: adds files from a folder, such as a scanner's, to a library.
import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { isLitter, stemOf } from '../src/domain/file-kinds.ts'
import type { Database } from '../supabase/functions/_shared/database.ts'
import { MAX_FILE } from '../supabase/functions/_shared/facts.ts'

const HELP = `Adds the files of a folder to a library of Carrel, and those that come later. Its subfolders become collections.

  npm run watch-folder -- FOLDER --library NAME

  --library NAME     the library, by its name or id; needed when you can write in several
  --collection NAME  a collection at the library's top, made when it is missing
  --once             add what is there now, then end
  --every SECONDS    how often the folder is looked through (default 5)

Environment: CARREL_URL and CARREL_PUBLISHABLE_KEY, the backend (default: the one on this machine);
CARREL_EMAIL and CARREL_PASSWORD, of an editor or owner of the library: asked for when they are missing.

A file is added when it has not changed between two looks. What the library has already is not added again, also after a
restart; what it does not take is said once. Nothing in the folder is changed. Ends with 1 when the folder or the library
cannot be used, and with --once also when a file could not be added.
`
const LOCAL = { url: 'http://127.0.0.1:54321', key: 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH' }
const MAX_COLLECTION_LENGTH = 120

type Client = SupabaseClient<Database>
type Found = { readonly path: string; readonly size: number; readonly modified: number }

class UsageError extends Error {}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      library: { type: 'string' },
      collection: { type: 'string' },
      once: { type: 'boolean', default: false },
      every: { type: 'string', default: '5' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) {
    console.log(HELP)
    return 0
  }
  const [folder] = positionals
  const seconds = Number(values.every)
  if (!folder || positionals.length > 1) throw new UsageError('Name one folder. --help says how.')
  if (!(seconds >= 1)) throw new UsageError('--every takes a number of seconds, at least 1.')
  if (!(await stat(folder).catch(() => null))?.isDirectory()) throw new UsageError(`There is no folder ${folder}.`)
  const client = await signIn()
  const library = await findLibrary(client, values.library)
  const add = adder(client, library.id, folder, values.collection)
  console.log(`${values.once ? 'Adding' : 'Watching'} ${folder} for the library “${library.name}”.`)
  return values.once ? addOnce(folder, add) : watch(folder, seconds * 1000, add)
}

async function signIn(): Promise<Client> {
  const { CARREL_URL = LOCAL.url, CARREL_PUBLISHABLE_KEY = LOCAL.key } = process.env
  const client = createClient<Database>(CARREL_URL, CARREL_PUBLISHABLE_KEY, { auth: { persistSession: false } })
  const email = process.env.CARREL_EMAIL ?? (await ask('Email: '))
  const password = process.env.CARREL_PASSWORD ?? (await ask('Password: ', { hidden: true }))
  const { error } = await client.auth.signInWithPassword({ email, password })
  if (error) throw new UsageError(`Signing in at ${CARREL_URL} failed: ${error.message}`)
  return client
}

/** @param hidden Hides the input. */
async function ask(question: string, { hidden = false } = {}): Promise<string> {
  if (!process.stdin.isTTY)
    throw new UsageError('Set CARREL_EMAIL and CARREL_PASSWORD: there is no terminal to ask on.')
  process.stderr.write(question)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: hidden ? nowhere : process.stderr, terminal: true })
  try {
    return await terminal.question('')
  } finally {
    terminal.close()
    if (hidden) process.stderr.write('\n')
  }
}

async function findLibrary(client: Client, wanted: string | undefined): Promise<{ id: string; name: string }> {
  const { data: user } = await client.auth.getUser()
  const { data } = await client
    .from('members')
    .select('library:libraries(id, name)')
    .eq('user_id', user.user?.id ?? '')
    .in('role', ['editor', 'owner'])
    .throwOnError()
  const libraries = data.map(({ library }) => library).filter((library) => library !== null)
  const found = libraries.filter(({ id, name }) => wanted === undefined || id === wanted || name === wanted)
  const [only] = found
  if (only && found.length === 1) return only
  const names = libraries.map(({ id, name }) => `  ${name} (${id})`).join('\n')
  throw new UsageError(
    libraries.length === 0
      ? 'You can add to no library. One that requires a second factor cannot be used by this command.'
      : `Name one library by --library:\n${names}`,
  )
}

type Outcome = 'added' | 'known' | 'refused'
type Add = (found: Found) => Promise<Outcome>

function adder(client: Client, library: string, folder: string, collection: string | undefined): Add {
  const collections = new Map<string, string | undefined>()

  /** Returns the collection of a path, creating missing ones. */
  async function collectionOf(names: readonly string[]): Promise<string | undefined> {
    if (names.length === 0) return undefined
    const key = names.join('/')
    if (collections.has(key)) return collections.get(key)
    const parent = (await collectionOf(names.slice(0, -1))) ?? null
    const name = (names.at(-1) ?? '').slice(0, MAX_COLLECTION_LENGTH)
    const known = client.from('collections').select('id').eq('library_id', library).eq('name', name).limit(1)
    const { data } = await (parent ? known.eq('parent_id', parent) : known.is('parent_id', null)).throwOnError()
    const id = data[0]?.id ?? (await makeCollection(name, parent))
    collections.set(key, id)
    return id
  }
  async function makeCollection(name: string, parent_id: string | null): Promise<string> {
    const { data } = await client
      .from('collections')
      .insert({ library_id: library, name, parent_id })
      .select('id')
      .single()
      .throwOnError()
    return data.id
  }

  return async ({ path, size }) => {
    if (size > MAX_FILE) return refuse(path, 'it is larger than 50 MB')
    if (size === 0) return refuse(path, 'it is empty')
    const bytes = await readFile(path)
    const content_hash = createHash('sha256').update(bytes).digest('hex')
    const { data: known } = await client
      .from('documents')
      .select('id')
      .eq('library_id', library)
      .eq('content_hash', content_hash)
      .limit(1)
      .throwOnError()
    if (known.length > 0) return 'known'
    const folders = dirname(relative(folder, path))
      .split(sep)
      .filter((name) => name !== '.')
    const place = await collectionOf(collection ? [collection, ...folders] : folders)
    const document = crypto.randomUUID()
    const file_name = basename(path).slice(-255)
    const stored = `${library}/${document}/${crypto.randomUUID()}/file`
    const { error } = await client.storage
      .from('documents')
      .upload(stored, bytes, { contentType: 'application/octet-stream', cacheControl: '31536000' })
    if (error) return refuse(path, error.message)
    const title = stemOf(basename(path)).slice(0, 300)
    const { error: refused } = await client.rpc('add_file', {
      ...{ library, document, path: stored, file_name, title, content_hash },
      ...(place ? { collection: place } : {}),
    })
    if (refused) return refuse(path, refused.message)
    console.log(`Added ${relative(folder, path)}`)
    return 'added'
  }
}

function refuse(path: string, reason: string): 'refused' {
  console.error(`Not added: ${path}: ${reason}`)
  return 'refused'
}

/** Lists the files below a folder, without hidden and temporary ones. */
async function list(folder: string): Promise<Found[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const paths = files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !isLitter(relative(folder, path).split(sep)))
  const found = paths.map(async (path) => {
    const { size, mtimeMs } = await stat(path)
    return { path, size, modified: mtimeMs }
  })
  // A file may disappear after it was listed.
  return (await Promise.allSettled(found)).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}

async function addOnce(folder: string, add: Add): Promise<number> {
  const counts = { added: 0, known: 0, refused: 0 }
  for (const found of await list(folder)) counts[await add(found)] += 1
  console.log(`${counts.added} added, ${counts.known} were there already, ${counts.refused} could not be added.`)
  return counts.refused > 0 ? 1 : 0
}

const stateOf = ({ size, modified }: Found): string => `${size} ${modified}`

/** Scans the folder until the process ends. A failed scan, for example offline, is repeated. */
async function watch(folder: string, pause: number, add: Add): Promise<never> {
  const handled = new Map<string, string>()
  let before = new Map<string, string>()
  for (;;) {
    try {
      const found = await list(folder)
      for (const file of found) {
        const state = stateOf(file)
        if (before.get(file.path) !== state || handled.get(file.path) === state) continue
        await add(file)
        handled.set(file.path, state)
      }
      before = new Map(found.map((file) => [file.path, stateOf(file)]))
    } catch (error) {
      console.error(`The folder will be looked through again: ${messageOf(error)}`)
    }
    await sleep(pause)
  }
}

const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error)

try {
  process.exitCode = await main()
} catch (error) {
  const isMisuse = error instanceof UsageError || (error instanceof TypeError && 'code' in error)
  console.error(isMisuse ? messageOf(error) : `The folder cannot be watched: ${messageOf(error)}`)
  process.exitCode = 1
}
process.exit()
