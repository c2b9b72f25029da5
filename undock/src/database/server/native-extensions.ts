import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { readStandIn, STAND_INS } from '../stand-ins/stand-ins.ts'
import { findBinaries } from './binaries.ts'

/** Where Postgres looks for control files below an entry of `extension_control_path`. */
const SUBFOLDER = 'extension'

/** `postgres` is no superuser: a hosted project has an extension created by one in its stead, and so does Postgres for
 *  extensions that are trusted. */
const TRUSTED = '\ntrusted = true\n'

/** Writes the control files of what `create extension` finds before the server's own: those of the server itself, which
 *  a project may then create, and the extensions that undock brings.
 *  @returns the folder. */
export function writeExtensions(folder: string): string {
  const target = join(folder, SUBFOLDER)
  mkdirSync(target, { recursive: true })
  const own = join(dirname(dirname(findBinaries().postgres)), 'share', 'postgresql', SUBFOLDER)
  const controls = readdirSync(own).filter((name) => name.endsWith('.control'))
  for (const name of controls) {
    const directory = own.replaceAll('\\', '/').replaceAll("'", "''")
    const text = readFileSync(join(own, name), 'utf8')
    writeFileSync(join(target, name), `${text}${TRUSTED}directory = '${directory}'\n`)
  }
  const real = new Set(controls.map((name) => basename(name, '.control')))
  for (const name of STAND_INS.filter((one) => !real.has(one))) {
    for (const file of readStandIn(name)) writeFileSync(join(target, file.name), file.text)
  }
  return folder
}
