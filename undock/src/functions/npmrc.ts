import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** The settings of npm for a function: those of its own `.npmrc` first, then of `functions/`, `supabase/`, and the user's.
 *  @param folder That of the functions.
 *  @param env What `${NAME}` in the files stands for.
 *  @returns lines of one `.npmrc`; empty when no file has any. */
export async function npmSettings(
  folder: string,
  name: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const places = [homedir(), dirname(folder), folder, join(folder, name)]
  const values = new Map<string, string>()
  for (const place of places) {
    const text = await readFile(join(place, '.npmrc'), 'utf8').catch(() => '')
    for (const line of text.split(/\r?\n/)) {
      const [, key, value] = /^\s*([^#;=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? []
      // A variable that is not set stays as it is, as in npm.
      if (key !== undefined && value !== undefined)
        values.set(
          key,
          value.replaceAll(/\$\{(\w+)\}/g, (whole, variable: string) => env[variable] ?? whole),
        )
    }
  }
  return [...values].map(([key, value]) => `${key}=${value}\n`).join('')
}
