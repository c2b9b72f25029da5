import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { bootstrapSnapshot } from '../src/database/pglite/bootstrap-snapshot.ts'
import { readTar, writeTar } from '../src/database/pglite/tar.ts'
import { openSnapshotStore } from '../src/database/snapshot-store.ts'
import { userCacheFolder } from '../src/platform/folders.ts'

/** The template databases, which only CREATE DATABASE reads: two thirds of a new cluster. */
const TEMPLATES = /^base\/(?:1|4)(?:\/|$)/

/** Writes what the live part of the front page loads: PGlite's program and files, and a cluster that undock has prepared, each
 *  compressed. Nothing is done for those that are there. */
export async function prepareLiveFiles(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const pglite = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'))
  const { key, path } = await bootstrapSnapshot(openSnapshotStore(userCacheFolder(process.env), 3))
  const known = join(folder, 'key')
  if (existsSync(known) && readFileSync(known, 'utf8') === key) return
  const entries = [...readTar(readFileSync(path))].filter((entry) => !TEMPLATES.test(entry.path))
  const files = {
    'pglite.wasm.gz': readFileSync(join(pglite, 'pglite.wasm')),
    'pglite.data.gz': readFileSync(join(pglite, 'pglite.data')),
    'cluster.tar.gz': Buffer.concat([...writeTar(entries)]),
  }
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), gzipSync(bytes, { level: 9 }))
  writeFileSync(known, key)
}
