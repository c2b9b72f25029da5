import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { readJson, refresh, service } from '../../lib/api.ts'
import { literal } from '../../lib/sql.ts'
import { encodeKey, folderOf, isFolder, nameOf, PLACEHOLDER } from './keys.ts'

export type Bucket = {
  readonly id: string
  readonly name: string
  readonly public: boolean
  readonly file_size_limit: number | null
  readonly allowed_mime_types: readonly string[] | null
  readonly created_at: string
}

export type BucketSettings = {
  readonly public: boolean
  /** Such as `50MB`; null for none. */
  readonly file_size_limit: string | null
  readonly allowed_mime_types: readonly string[] | null
}

/** A folder or a file. @property key The full key; a folder's ends with a slash. */
export type Entry = {
  readonly key: string
  /** Bytes; null for a folder. */
  readonly size: number | null
  readonly type: string
  readonly updatedAt: string | null
  readonly createdAt: string | null
  readonly metadata: Readonly<Record<string, unknown>> | null
}

export const SORTS = ['name', 'updated_at', 'created_at'] as const
export type Sort = (typeof SORTS)[number]

/** The current view: a bucket's folder, or search results in it. */
export type View = {
  readonly bucket: string
  readonly folder: string
  /** A column, prefixed with a minus for descending order. */
  readonly sort: string
  /** A role or user; undefined for the secret key. */
  readonly as: string | undefined
}

const PAGE = 200
/** The maximum number of files that one request can list or delete. */
const MAX_FILES_PER_REQUEST = 1_000
/** Parallel moves. */
const AT_ONCE = 6
const FOUND = 500

const filesKey = ['files'] as const
/** Refetches all file lists. */
export const refreshFiles = (): Promise<void> => refresh(filesKey)
export const refreshBuckets = (): Promise<void> => refresh(['buckets'])

export const bucketsQuery = (as: string | undefined) =>
  queryOptions({
    queryKey: ['buckets', as],
    queryFn: ({ signal }) => service<Bucket[]>('/storage/v1/bucket?sortColumn=name&sortOrder=asc', { signal, as }),
  })

type Listed = {
  readonly name: string
  readonly updated_at: string | null
  readonly created_at: string | null
  readonly metadata: Readonly<Record<string, unknown>> | null
}
type Page = {
  readonly hasNext: boolean
  readonly nextCursor?: string
  readonly folders: Listed[]
  readonly objects: Listed[]
}

export const folderQuery = ({ bucket, folder, sort, as }: View) =>
  infiniteQueryOptions({
    queryKey: [...filesKey, bucket, folder, sort, as],
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }) => {
      const page = await service<Page>(`/storage/v1/object/list-v2/${encodeURIComponent(bucket)}`, {
        method: 'POST',
        signal,
        as,
        body: {
          prefix: folder,
          with_delimiter: true,
          limit: PAGE,
          sortBy: { column: sort.replace(/^-/, ''), order: sort.startsWith('-') ? 'desc' : 'asc' },
          ...(pageParam ? { cursor: pageParam } : {}),
        },
      })
      return {
        entries: [
          ...page.folders.map((one) => toEntry(one.name, one)),
          ...page.objects.map((one) => toEntry(one.name, one)),
        ],
        next: page.hasNext ? (page.nextCursor ?? null) : null,
      }
    },
    getNextPageParam: ({ next }) => next,
  })

/** Files of a bucket whose key contains a text. */
export const foundQuery = (bucket: string, text: string, as: string | undefined) =>
  queryOptions({
    queryKey: [...filesKey, bucket, 'found', text, as],
    queryFn: async ({ signal }) =>
      (
        await readJson<Listed>(
          `select to_json(one) from (select name, updated_at, created_at, metadata from storage.objects
           where bucket_id = $1 and position(lower($2) in lower(name)) > 0 and name not like '%${PLACEHOLDER}'
           order by name limit ${FOUND}) one`,
          [bucket, text],
          { signal, as },
        )
      ).map((one) => toEntry(one.name, one)),
  })

export function toEntry(key: string, { metadata, updated_at, created_at }: Omit<Listed, 'name'>): Entry {
  const { size, mimetype } = metadata ?? {}
  return {
    key,
    size: isFolder(key) ? null : Number(size ?? 0),
    type: typeof mimetype === 'string' ? mimetype : '',
    updatedAt: updated_at,
    createdAt: created_at,
    metadata,
  }
}

/** A file with its metadata; null if it's missing or hidden from the caller. */
export const fileQuery = (bucket: string, key: string, as: string | undefined) =>
  queryOptions({
    queryKey: [...filesKey, bucket, 'file', key, as],
    queryFn: async ({ signal }) =>
      (
        await readJson<FileDetail>(
          `select to_json(one) from (select name as key, owner_id as owner, version, created_at, updated_at, metadata, user_metadata
           from storage.objects where bucket_id = $1 and name = $2) one`,
          [bucket, key],
          { signal, as },
        )
      )[0] ?? null,
  })

export type FileDetail = {
  readonly key: string
  readonly owner: string | null
  readonly version: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly user_metadata: Readonly<Record<string, unknown>> | null
}

export const createBucket = (name: string, settings: BucketSettings): Promise<unknown> =>
  service('/storage/v1/bucket', { method: 'POST', body: { name, id: name, ...settings } })

export const updateBucket = (id: string, settings: BucketSettings): Promise<unknown> =>
  service(`/storage/v1/bucket/${encodeURIComponent(id)}`, { method: 'PUT', body: settings })

export const emptyBucket = (id: string, snapshot: boolean): Promise<unknown> =>
  service(`/storage/v1/bucket/${encodeURIComponent(id)}/empty`, { method: 'POST', body: {}, snapshot })

export async function deleteBucket(id: string, snapshot: boolean): Promise<void> {
  await emptyBucket(id, snapshot)
  await service(`/storage/v1/bucket/${encodeURIComponent(id)}`, { method: 'DELETE', body: {} })
}

const objectPath = (bucket: string, key: string): string =>
  `/storage/v1/object/${encodeURIComponent(bucket)}/${encodeKey(key)}`

export const createFolder = ({ bucket, as }: View, folder: string): Promise<unknown> =>
  service(objectPath(bucket, folder + PLACEHOLDER), {
    method: 'POST',
    raw: new Blob([]),
    headers: { 'content-type': 'application/octet-stream' },
    as,
  })

/** Returns all keys in folders, and the given files. */
async function expand({ bucket, as }: View, keys: readonly string[]): Promise<string[]> {
  const files = keys.filter((key) => !isFolder(key))
  for (const folder of keys.filter(isFolder)) {
    let cursor: string | undefined
    do {
      const page = await service<Page>(`/storage/v1/object/list-v2/${encodeURIComponent(bucket)}`, {
        method: 'POST',
        as,
        body: { prefix: folder, limit: MAX_FILES_PER_REQUEST, ...(cursor ? { cursor } : {}) },
      })
      files.push(...page.objects.map(({ name }) => name))
      cursor = page.hasNext ? page.nextCursor : undefined
    } while (cursor)
  }
  return files
}

/** Deletes files and folders. Their folder remains, even if it's empty.
 *  @param snapshot Whether the data is kept first.
 *  @returns how many files were deleted: policies may hide some from the caller. */
export async function deleteEntries(view: View, keys: readonly string[], snapshot: boolean): Promise<number> {
  const { bucket, as } = view
  const files = await expand(view, keys)
  let deleted = 0
  for (let start = 0; start < files.length; start += MAX_FILES_PER_REQUEST) {
    const prefixes = files.slice(start, start + MAX_FILES_PER_REQUEST)
    const gone = await service<unknown[]>(`/storage/v1/object/${encodeURIComponent(bucket)}`, {
      method: 'DELETE',
      body: { prefixes },
      as,
      snapshot: snapshot && start === 0,
    })
    deleted += gone.length
  }
  await Promise.all([...new Set(keys.map(folderOf))].map((folder) => keepFolder(view, folder)))
  return deleted
}

/** Adds the placeholder to a folder that lost its last file. */
async function keepFolder(view: View, folder: string): Promise<void> {
  if (folder === '') return
  const { objects } = await service<Page>(`/storage/v1/object/list-v2/${encodeURIComponent(view.bucket)}`, {
    method: 'POST',
    as: view.as,
    body: { prefix: folder, limit: 1 },
  })
  // The deletion succeeded even if the caller can't write here.
  if (objects.length === 0) await createFolder(view, folder).catch(() => undefined)
}

/** A folder with files needs no placeholder. */
export const removePlaceholder = ({ bucket, as }: View, folder: string): Promise<unknown> =>
  service(`/storage/v1/object/${encodeURIComponent(bucket)}`, {
    method: 'DELETE',
    body: { prefixes: [folder + PLACEHOLDER] },
    as,
  }).catch(() => undefined)

/** The destination of a file or folder. @property to Its new key. */
export type Move = { readonly key: string; readonly to: string; readonly bucket: string }

/** Moves or renames files and folders. @returns how many files moved. */
export async function moveEntries(view: View, moves: readonly Move[]): Promise<number> {
  const single = await Promise.all(
    moves.map(async ({ key, to, bucket }) =>
      (await expand(view, [key])).map((file) => ({
        file,
        bucket,
        to: isFolder(key) ? to + file.slice(key.length) : to,
      })),
    ),
  )
  const all = single.flat()
  for (let start = 0; start < all.length; start += AT_ONCE)
    await Promise.all(
      all.slice(start, start + AT_ONCE).map(({ file, to, bucket }) =>
        service('/storage/v1/object/move', {
          method: 'POST',
          as: view.as,
          body: { bucketId: view.bucket, sourceKey: file, destinationKey: to, destinationBucket: bucket },
        }),
      ),
    )
  await Promise.all([...new Set(moves.map(({ key }) => folderOf(key)))].map((folder) => keepFolder(view, folder)))
  return all.length
}

/** Creates a URL that reads a file without a key. @param seconds How long it's valid. @returns its path relative to the API's URL. */
export async function signedPath({ bucket, as }: View, key: string, seconds: number): Promise<string> {
  const { signedURL } = await service<{ signedURL: string }>(
    `/storage/v1/object/sign/${encodeURIComponent(bucket)}/${encodeKey(key)}`,
    { method: 'POST', body: { expiresIn: seconds }, as },
  )
  return `/storage/v1${signedURL}`
}

/** Downloads a file. Signing needs the same rights as reading. */
export async function download(apiUrl: string, view: View, key: string): Promise<void> {
  const path = await signedPath(view, key, 60)
  const link = document.createElement('a')
  link.href = `${apiUrl}${path}&download=${encodeURIComponent(nameOf(key))}`
  link.rel = 'noreferrer'
  link.click()
}

/** Returns the statement that creates a bucket or updates an existing one's settings. */
export function bucketSql({ id, name, public: isPublic, file_size_limit: limit, allowed_mime_types: types }: Bucket) {
  const listed = types ? `array[${types.map((type) => literal(type).trim()).join(', ')}]` : 'null'
  return `insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values (${literal(id).trim()}, ${literal(name).trim()}, ${isPublic}, ${limit ?? 'null'}, ${listed})
on conflict (id) do update set
  public = excluded.public, file_size_limit = excluded.file_size_limit,
  allowed_mime_types = excluded.allowed_mime_types;`
}
