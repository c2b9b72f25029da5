import { readdirSync, readFileSync } from 'node:fs'

const CONTROL = '.control'

const EXTENSIONS = new URL('extension/', import.meta.url)

/** The extensions that undock brings instead of upstream's: a control file and a script each. */
export const STAND_INS: readonly string[] = readdirSync(EXTENSIONS)
  .filter((file) => file.endsWith(CONTROL))
  .map((file) => file.slice(0, -CONTROL.length))

/** Every file in one text, to tell whether what a snapshot was made with is what is there. */
export const standInsText = (): string =>
  readdirSync(EXTENSIONS)
    .sort()
    .map((file) => `${file}\n${readFileSync(new URL(file, EXTENSIONS), 'utf8')}`)
    .join('\n')

export type StandInFile = { readonly name: string; readonly text: string }

/** What Postgres needs in its folder of extensions to create this one. */
export function readStandIn(name: string): StandInFile[] {
  return readdirSync(EXTENSIONS)
    .filter((file) => file === name + CONTROL || file.startsWith(`${name}--`))
    .map((file) => ({ name: file, text: readFileSync(new URL(file, EXTENSIONS), 'utf8') }))
}
