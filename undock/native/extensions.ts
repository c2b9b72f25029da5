import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** One extension or library that undock builds for its native Postgres. */
export type NativeExtension = {
  readonly name: string
  /** The majors of PostgreSQL that this release is for. */
  readonly majors: readonly number[]
  /** Whether `npm start` and `npm test` compile it. */
  readonly isEssential?: boolean
  /** Whether a server must load its library at the start. */
  readonly isPreloaded?: boolean
  /** The version of the release, as `create extension` shows it; of our own sources their hash. */
  readonly version: string
  /** A release to be fetched, or a folder of this repository. */
  readonly source: Source | { readonly folder: URL }
  /** Debian's package of the same release, by the architecture's name in Node, for where the source cannot be had. Its library asks
   *  only for a C library (glibc) that is older than those of the releases undock runs on. */
  readonly debian?: Readonly<Record<string, DebianPackage>>
  /** Builds it in place of `make`, from a second source and packages of Debian 12. It takes minutes, so it is built when it is
   *  named, and has an npm package of its own. */
  readonly script?: { readonly file: URL; readonly proj: Source; readonly packages: readonly string[] }
  /** The folder of the source that is compiled, if it is not all of it. */
  readonly part?: string
  /** Variables of its makefile. */
  readonly make?: Readonly<Record<string, string>>
}

/** The name of the folder with a compiled extension. */
export const folderName = ({ name, version }: NativeExtension): string => `${name}@${version}`

/** The files with an extension's licence, which every copy must come with. */
export const licencesIn = (folder: string): string[] =>
  readdirSync(folder).filter((name) => /^(?:licen[cs]e|copying|copyright)/i.test(name))

/** Whether a folder has the compiled extension with its license; undock's own code has undock's license. */
export const isCompiled = ({ source }: NativeExtension, folder: string): boolean =>
  existsSync(folder) && ('folder' in source || licencesIn(folder).length > 0)

/** A release's archive as upstream published it. */
export type Source = {
  /** Places that hold the same bytes; the first that answers is taken. */
  readonly urls: readonly string[]
  readonly sha256: string
}

/** A package in the suite of Debian that has the extension's major. */
export type DebianPackage = { readonly name: string; readonly sha256: string }

/** A release's archive from GitHub where that has the same bytes, and as Debian keeps it: its pool those of the current suites, its snapshots all. The hash is the
 *  one of Debian's signed index.
 *  @param archive Its path in the pool. */
const release = (tag: string | null, archive: string, sha256: string): Source => ({
  urls: [
    ...(tag ? [`https://github.com/${tag.replace('@', '/archive/refs/tags/')}.tar.gz`] : []),
    `http://deb.debian.org/debian/pool/main/${archive}`,
    `https://snapshot.debian.org/archive/debian/20260901T000000Z/pool/main/${archive}`,
  ],
  sha256,
})

const rightsFolder = new URL('./rights/', import.meta.url)

/** The extensions that undock builds. Others are taken from a PostgreSQL of this machine
 *  (database/postgres/system-extensions.ts). */
export const EXTENSIONS: readonly NativeExtension[] = [
  // Loaded by the server at its start (database/postgres/cluster.ts).
  {
    name: 'undock_rights',
    majors: [15, 17, 18],
    isEssential: true,
    isPreloaded: true,
    version: hashOf(rightsFolder),
    source: { folder: rightsFolder },
  },
  {
    name: 'vector',
    majors: [15, 17],
    isEssential: true,
    version: '0.8.0',
    source: release(
      'pgvector/pgvector@v0.8.0',
      'p/pgvector/pgvector_0.8.0.orig.tar.gz',
      '867a2c328d4928a5a9d6f052cd3bc78c7d60228a9b914ad32aa3db88e9de27b0',
    ),
    // Compiles for every processor of the architecture; upstream's default is the compiling machine's.
    make: { OPTFLAGS: '' },
  },
  {
    name: 'hypopg',
    majors: [15, 17],
    version: '1.4.1',
    source: release(
      'HypoPG/hypopg@1.4.1',
      'h/hypopg/hypopg_1.4.1.orig.tar.gz',
      '9afe6357fd389d8d33fad81703038ce520b09275ec00153c6c89282bcdedd6bc',
    ),
  },
  {
    name: 'plpgsql_check',
    majors: [15, 17],
    isEssential: true,
    version: '2.8.1',
    source: release(
      'okbob/plpgsql_check@v2.8.1',
      'p/plpgsql-check/plpgsql-check_2.8.1.orig.tar.gz',
      '868cc064b4e66cb33b3c14e4409f699dab9a4055504cfa951cf8c1b24892ef34',
    ),
    debian: debian('postgresql-17-plpgsql-check', {
      x64: '5c0e7a2f46c691b713e2dde2fa6253a3b9caae3fe1937e9d765a2183c41ee9ac',
      arm64: '3195e936266a13c5a73a0bc3f411cab020a5251f5b37b7b4ae0c4ac5ef6c76d5',
    }),
  },
  // pgaudit has a line of releases for each major.
  {
    name: 'pgaudit',
    majors: [15],
    isPreloaded: true,
    version: '1.7.0',
    source: release(
      'pgaudit/pgaudit@1.7.0',
      'p/pgaudit-1.7/pgaudit-1.7_1.7.0.orig.tar.gz',
      '8f4a73e451c88c567e516e6cba7dc1e23bc91686bb6f1f77f8f3126d428a8bd8',
    ),
  },
  {
    name: 'pgaudit',
    majors: [17],
    isPreloaded: true,
    version: '17.1',
    source: release(
      'pgaudit/pgaudit@17.1',
      'p/pgaudit-17/pgaudit-17_17.1.orig.tar.gz',
      '9c5f37504d393486cc75d2ced83f75f5899be64fa85f689d6babb833b4361e6c',
    ),
    debian: debian('postgresql-17-pgaudit', {
      x64: '1fd5e43d613037db112a475193de4886c2109b7a3ff6766e322621d794506d5a',
      arm64: '33e79427f97fc203ae125efe995f1e43e79cc0e6d874b4c8e80b67dbead47d1a',
    }),
  },
  {
    name: 'pgaudit',
    majors: [18],
    isPreloaded: true,
    version: '18.0',
    source: release(
      'pgaudit/pgaudit@18.0',
      'p/pgaudit-18/pgaudit-18_18.0.orig.tar.gz',
      '988e8afeda320ebe0a3e632ef6b6bce5d3a08346c2e100a173a585c9521d1fa5',
    ),
  },
  {
    name: 'rum',
    majors: [15, 17, 18],
    version: '1.3.15',
    source: release(
      'postgrespro/rum@1.3.15',
      'p/postgresql-rum/postgresql-rum_1.3.15.orig.tar.gz',
      'e79b3a67df9821bc0d86fd463dac7249f1729d9dd04f77db767e2815098247b8',
    ),
  },
  {
    name: 'pg_partman',
    majors: [15, 17, 18],
    version: '5.2.4',
    source: release(
      'pgpartman/pg_partman@v5.2.4',
      'p/pg-partman/pg-partman_5.2.4.orig.tar.gz',
      '462464d83389ef20256b982960646a1572341c0beb09eeff32b4a69f04e31b76',
    ),
    // Its background worker needs to be loaded at the server's start; pg_cron calls the same procedure.
    make: { NO_BGW: '1' },
  },
  {
    name: 'pg_repack',
    majors: [15, 17, 18],
    version: '1.5.3',
    source: release(
      'reorg/pg_repack@ver_1.5.3',
      'p/pg-repack/pg-repack_1.5.3.orig.tar.gz',
      '9439892c0b7c7575677f61133e5692f3e8cfd5c6688c5db4fb202320c668c745',
    ),
    // The program `pg_repack` is the client's.
    part: 'lib',
  },
  {
    name: 'pg_hashids',
    majors: [15, 17, 18],
    version: '1.3',
    // The commit that hosted projects have; no release has this version.
    source: {
      urls: ['https://github.com/iCyberon/pg_hashids/archive/cd0e1b31d52b394a0df64079406a14a4f7387cd6.tar.gz'],
      sha256: '4accd37d774aedac8b5e2c64e6ea469ff5daba7e1837d3ddb02208de88a15c29',
    },
  },
  {
    name: 'postgis',
    majors: [17],
    version: '3.5.2',
    source: release(
      null,
      'p/postgis/postgis_3.5.2+dfsg.orig.tar.xz',
      'cd52aaf24afc80a20be4659d6aecfcd437abdd0f06e39d2854b50660f3a5518f',
    ),
    script: {
      file: new URL('./postgis.sh', import.meta.url),
      proj: release(
        null,
        'p/proj/proj_9.1.1.orig.tar.gz',
        '003cd4010e52bb5eb8f7de1c143753aa830c8902b6ed01209f294846e40e6d39',
      ),
      packages: [
        ...[
          'libgeos-dev',
          'libgeos3.11.1',
          'libgeos-c1v5',
          'libjson-c-dev',
          'libjson-c5',
          'libpcre2-dev',
          'libpcre2-8-0',
        ],
        ...['libprotobuf-c-dev', 'libprotobuf-c1', 'protobuf-c-compiler', 'libprotobuf32', 'libprotoc32', 'patchelf'],
        ...['libsqlite3-dev', 'libsqlite3-0', 'sqlite3', 'libxml2-dev', 'libxml2', 'libicu72', 'liblzma5'],
        ...['libsfcgal-dev', 'libsfcgal1', 'libcgal-dev', 'libboost1.74-dev', 'libboost-serialization1.74.0'],
        ...['libgmp-dev', 'libgmp10', 'libgmpxx4ldbl', 'libmpfr-dev', 'libmpfr6'],
      ],
    },
  },
]

function debian(name: string, hashes: Readonly<Record<string, string>>): Record<string, DebianPackage> {
  return Object.fromEntries(Object.entries(hashes).map(([architecture, sha256]) => [architecture, { name, sha256 }]))
}

function hashOf(folder: URL): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).toSorted()) hash.update(name).update(readFileSync(new URL(name, folder)))
  return hash.digest('hex').slice(0, 12)
}
