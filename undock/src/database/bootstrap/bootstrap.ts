import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { shimsText } from '../extensions/shims.ts'

const FOLDER = new URL('./', import.meta.url)

export type Script = { readonly name: string; readonly text: string }

/** Returns the scripts that turn an empty cluster into a Supabase project. */
export function bootstrapScripts(): Script[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ name, text: readFileSync(new URL(name, FOLDER), 'utf8') }))
}

/** Returns a hash of the scripts and shims that prepare a database. */
export function projectKey(scripts: readonly Script[] = bootstrapScripts()): string {
  const hash = createHash('sha256')
  for (const { name, text } of scripts) hash.update(`${name}\n${text}\n`)
  hash.update(shimsText())
  return hash.digest('hex').slice(0, 24)
}

/** The mark of a prepared database. It's a schema's comment, because every copy keeps that. */
export const versionMark = (key: string): string => `undock ${key}`
export const setVersionMark = (key: string): string => `comment on schema extensions is '${versionMark(key)}'`
export const READ_VERSION_MARK = "select obj_description(to_regnamespace('extensions'), 'pg_namespace') as mark"
