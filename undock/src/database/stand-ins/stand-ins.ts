import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const CONTROL = '.control'

/** The extensions that undock brings instead of upstream's, laid out as Postgres looks for them: the folder is one for
 *  `extension_control_path`. */
export const STAND_INS_FOLDER: string = fileURLToPath(new URL('.', import.meta.url))

const EXTENSIONS = new URL('extension/', import.meta.url)

export const STAND_INS: readonly string[] = readdirSync(EXTENSIONS)
  .filter((file) => file.endsWith(CONTROL))
  .map((file) => file.slice(0, -CONTROL.length))

export type StandInFile = { readonly name: string; readonly text: string }

/** What Postgres needs in its folder of extensions to create this one. */
export function readStandIn(name: string): StandInFile[] {
  return readdirSync(EXTENSIONS)
    .filter((file) => file === name + CONTROL || file.startsWith(`${name}--`))
    .map((file) => ({ name: file, text: readFileSync(new URL(file, EXTENSIONS), 'utf8') }))
}
