import { readdirSync, readFileSync } from 'node:fs'

const CONTROL = '.control'

const EXTENSIONS = new URL('./shims/', import.meta.url)

/** Extensions that undock provides itself, each a control file and a script. */
export const SHIMS: readonly string[] = readdirSync(EXTENSIONS)
  .filter((file) => file.endsWith(CONTROL))
  .map((file) => file.slice(0, -CONTROL.length))

/** Returns the text of all shims, which identifies those in a snapshot. */
export const shimsText = (): string =>
  readdirSync(EXTENSIONS)
    .sort()
    .map((file) => `${file}\n${readFileSync(new URL(file, EXTENSIONS), 'utf8')}`)
    .join('\n')

/** Shims of tables and functions only, which a server whose files aren't ours gets without an extension. */
export const PLAIN_SHIMS: readonly string[] = ['pg_net', 'pg_cron']

export const plainShimText = (name: string): string =>
  readShim(name).find((file) => file.name.endsWith('.sql'))?.text ?? ''

export type ShimFile = { readonly name: string; readonly text: string }

/** Returns the files that Postgres needs to create an extension. */
export function readShim(name: string): ShimFile[] {
  return readdirSync(EXTENSIONS)
    .filter((file) => file === name + CONTROL || file.startsWith(`${name}--`))
    .map((file) => ({ name: file, text: readFileSync(new URL(file, EXTENSIONS), 'utf8') }))
}
