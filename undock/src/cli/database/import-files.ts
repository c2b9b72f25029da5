import type pg from 'pg'
import { ImportError } from '../../project-tools/import/source.ts'
import { currentState } from '../../runtime/branches/registry.ts'
import { stateAt, stateFolder } from '../../runtime/place/state-folders.ts'
import { FolderContents } from '../../storage/files/folder.ts'
import { fetchFiles, type RemoteObject } from '../../storage/objects/fetch-files.ts'
import { type BackendOptions, findBackend, splitNames, UsageError } from '../arguments.ts'
import { withClient } from '../database-target.ts'
import { findKeptDatabase } from './import-target.ts'
import { countFiles, megabytes, transferFiles } from './transfer-files.ts'

type ImportFilesOptions = BackendOptions & {
  readonly from: string
  readonly buckets: readonly string[]
  readonly maxSize?: number
}

/** `undock import files`: downloads the missing files of `storage.objects` from the Storage of the rows' original project. Running it again
 *  resumes it.
 *  @throws {ImportError | UsageError} */
export async function importFiles(options: ImportFilesOptions): Promise<number> {
  const key = process.env.UNDOCK_IMPORT_SECRET_KEY
  if (!key) throw new UsageError('Set UNDOCK_IMPORT_SECRET_KEY to a secret key of the project to download from.')
  const from = { url: addressOf(options.from), key }
  const backend = findBackend(options)
  const database = await findKeptDatabase(options)
  try {
    const folder = stateAt(currentState(stateFolder(backend.workdir, backend.name))).storage
    const objects = await withClient(database.url, (client) => readObjects(client, options))
    console.error(`Downloading from ${from.url}: ${countFiles(objects.length)}, without those that are already here.`)
    const store = await FolderContents.join(folder)
    return await transferFiles({ verb: 'download', done: 'Downloaded' }, async (watch) => {
      const { files, bytes, failed } = await fetchFiles(store, objects, from, watch)
      return { summary: `Downloaded ${countFiles(files)}, ${megabytes(bytes)}.`, failed }
    })
  } finally {
    await database.close()
  }
}

/** @throws {UsageError} */
function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`--from must be the URL of a project's API, such as https://abc.supabase.co, not ${text}.`)
  return url.href.replace(/\/+$/, '')
}

async function readObjects(client: pg.Client, { buckets, maxSize }: ImportFilesOptions): Promise<RemoteObject[]> {
  const names = splitNames(buckets)
  const { rows: known } = await client.query<{ id: string }>('select id from storage.buckets')
  const unknown = names.filter((name) => !known.some(({ id }) => id === name))
  if (unknown.length > 0) throw new ImportError(`There is no bucket ${unknown.join(', ')} in the local database.`)
  // Rows written by SQL have no version, so there's no place for their files.
  await client.query('update storage.objects set version = gen_random_uuid()::text where version is null')
  const { rows } = await client.query<{ bucket: string; name: string; version: string; size: string | null }>(
    `select bucket_id as bucket, name, version, metadata ->> 'size' as size from storage.objects
     where (cardinality($1::text[]) = 0 or bucket_id = any ($1))
       and ($2::numeric is null or coalesce((metadata ->> 'size')::numeric, 0) <= $2)
     order by bucket_id, name`,
    [names, maxSize ?? null],
  )
  return rows.map(({ size, ...place }) => ({ ...place, size: size === null ? null : Number(size) }))
}
