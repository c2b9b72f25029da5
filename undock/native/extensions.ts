import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

/** One extension or library that undock builds for its native Postgres. */
export type NativeExtension = {
  readonly name: string
  /** The version of the release, as `create extension` shows it; of our own sources their hash. */
  readonly version: string
  /** A release to be fetched, or a folder of this repository. */
  readonly source: Source | { readonly folder: URL }
  /** Variables of its makefile. */
  readonly make?: Readonly<Record<string, string>>
}

/** A release's archive as upstream published it. */
export type Source = {
  /** Places that hold the same bytes; the first that answers is taken. */
  readonly urls: readonly string[]
  readonly sha256: string
}

/** A release on GitHub. Debian keeps the same archives: its pool those of the current suites, its snapshots all.
 *  @param archive Its path in the pool. */
const release = (tag: string, archive: string, sha256: string): Source => ({
  urls: [
    `https://github.com/${tag.replace('@', '/archive/refs/tags/')}.tar.gz`,
    `http://deb.debian.org/debian/pool/main/${archive}`,
    `https://snapshot.debian.org/archive/debian/20260901T000000Z/pool/main/${archive}`,
  ],
  sha256,
})

const rightsFolder = new URL('./rights/', import.meta.url)

/** Only what was compiled and tried: an extension that needs more than its files (`shared_preload_libraries`, another library)
 *  needs more than a row here. */
export const EXTENSIONS: readonly NativeExtension[] = [
  // Loaded by the server at its start (database/postgres/cluster.ts).
  { name: 'undock_rights', version: hashOf(rightsFolder), source: { folder: rightsFolder } },
  {
    name: 'vector',
    version: '0.8.0',
    source: release(
      'pgvector/pgvector@v0.8.0',
      'p/pgvector/pgvector_0.8.0.orig.tar.gz',
      '867a2c328d4928a5a9d6f052cd3bc78c7d60228a9b914ad32aa3db88e9de27b0',
    ),
    // The same library for every processor of its kind: upstream's default is the one that compiles.
    make: { OPTFLAGS: '' },
  },
]

function hashOf(folder: URL): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).toSorted()) hash.update(name).update(readFileSync(new URL(name, folder)))
  return hash.digest('hex').slice(0, 12)
}
