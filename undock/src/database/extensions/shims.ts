import { readdirSync, readFileSync } from 'node:fs'

const CONTROL = '.control'

const EXTENSIONS = new URL('./shims/', import.meta.url)

/** The extensions that undock provides instead of upstream's, each a control file and a script. */
export const SHIMS: readonly string[] = readdirSync(EXTENSIONS)
  .filter((file) => file.endsWith(CONTROL))
  .map((file) => file.slice(0, -CONTROL.length))

/** The text of all files, which identifies the shims that a snapshot was made with. */
export const shimsText = (): string =>
  readdirSync(EXTENSIONS)
    .sort()
    .map((file) => `${file}\n${readFileSync(new URL(file, EXTENSIONS), 'utf8')}`)
    .join('\n')

/** Shims that are tables and functions alone, so that a server whose files are not ours gets them without an extension. */
export const PLAIN_SHIMS: readonly string[] = ['pg_net', 'pg_cron']

/** The statements of a plain shim. */
export const plainShimText = (name: string): string =>
  readShim(name).find((file) => file.name.endsWith('.sql'))?.text ?? ''

export type ShimFile = { readonly name: string; readonly text: string }

/** The files that Postgres needs to create an extension. */
export function readShim(name: string): ShimFile[] {
  return readdirSync(EXTENSIONS)
    .filter((file) => file === name + CONTROL || file.startsWith(`${name}--`))
    .map((file) => ({ name: file, text: readFileSync(new URL(file, EXTENSIONS), 'utf8') }))
}
