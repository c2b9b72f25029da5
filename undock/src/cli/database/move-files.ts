import { resolve } from 'node:path'
import type pg from 'pg'
import { currentState } from '../../runtime/branches/registry.ts'
import { stateAt, stateFolder } from '../../runtime/place/state-folders.ts'
import type { Contents } from '../../storage/files/contents.ts'
import { FolderContents } from '../../storage/files/folder.ts'
import { type MovedObject, moveContents } from '../../storage/files/move.ts'
import { type Files, openFiles } from '../../storage/files/open-files.ts'
import type { S3Place } from '../../storage/files/s3-client.ts'
import { type BackendOptions, findBackend, UsageError } from '../arguments.ts'
import { withClient } from '../database-target.ts'
import { findKeptDatabase } from './import-target.ts'
import { countFiles, megabytes, transferFiles } from './transfer-files.ts'

type MoveFilesOptions = BackendOptions & { readonly from?: string; readonly to: string; readonly dbUrl?: string }

/** Rows per query. */
const PAGE = 1000

/** `undock storage move`: copies the files of all objects to another place, and verifies each. Running it again resumes it.
 *  @throws {UsageError | FilesError} */
export async function moveFiles(options: MoveFilesOptions): Promise<number> {
  const to = placeOf(options.to)
  const from = placeOf(options.from ?? ownFolder(options))
  const database = options.dbUrl
    ? { url: options.dbUrl, close: async () => undefined }
    : await findKeptDatabase(options)
  const opened: Files[] = []
  const open = async (place: string | S3Place): Promise<Contents> => {
    // Another process may be using it.
    if (typeof place === 'string') return FolderContents.join(place)
    const files = await openFiles({ kind: 's3', ...place }, { log: { info: (message) => console.error(message) } })
    opened.push(files)
    return files.objects
  }
  try {
    const places = { from: await open(from), to: await open(to) }
    return await withClient(database.url, (client) =>
      transferFiles({ verb: 'copy', done: 'Copied' }, async (watch) => {
        const { copied, present, bytes, failed } = await moveContents(readObjects(client), places, watch)
        const here = present.toLocaleString('en')
        return {
          summary: `${countFiles(copied)} copied, ${here} already there, all verified: ${megabytes(bytes)}.`,
          failed,
        }
      }),
    )
  } finally {
    for (const files of opened) files.close()
    await database.close()
  }
}

/** In pages, because there may be millions. Rows written by SQL have no version and no file. */
async function* readObjects(client: pg.Client): AsyncGenerator<MovedObject> {
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await client.query<MovedObject & { id: string; size: string | null }>(
      `select id, bucket_id as bucket, name, version, metadata ->> 'size' as size, metadata ->> 'eTag' as etag
       from storage.objects where id > $1 and version is not null and bucket_id is not null order by id limit ${PAGE}`,
      [after],
    )
    for (const row of rows) yield { ...row, size: row.size === null ? null : Number(row.size) }
    const last = rows.at(-1)
    if (!last) return
    after = last.id
  }
}

const ownFolder = (options: MoveFilesOptions): string => {
  const { workdir, name } = findBackend(options)
  return stateAt(currentState(stateFolder(workdir, name))).storage
}

/** A folder or, for `s3`, the store set in the environment for `undock serve`. @throws {UsageError} */
function placeOf(text: string): string | S3Place {
  if (text !== 's3') return resolve(text)
  const get = (name: string): string => process.env[`UNDOCK_SERVE_S3_${name}`] ?? ''
  const missing = ['BUCKET', 'ACCESS_KEY_ID', 'SECRET_ACCESS_KEY'].filter((name) => get(name) === '')
  if (missing.length > 0)
    throw new UsageError(`Set ${missing.map((name) => `UNDOCK_SERVE_S3_${name}`).join(', ')} to choose the S3 store.`)
  return {
    endpoint: get('ENDPOINT') || null,
    region: get('REGION') || 'us-east-1',
    bucket: get('BUCKET'),
    prefix: get('PREFIX'),
    accessKeyId: get('ACCESS_KEY_ID'),
    secretAccessKey: get('SECRET_ACCESS_KEY'),
    forcePathStyle: get('FORCE_PATH_STYLE') !== 'false',
  }
}
