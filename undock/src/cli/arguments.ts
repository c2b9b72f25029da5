import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** The command line was not understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The folder that contains `supabase/`: the given one, otherwise the nearest one at or above the current folder.
 *  @throws {UsageError} when there is none. */
export function findWorkdir(named: string | undefined): string {
  if (named !== undefined) {
    const folder = resolve(named)
    if (!existsSync(join(folder, 'supabase'))) {
      throw new UsageError(`${folder} holds no folder "supabase". Make one with \`npx supabase init\`.`)
    }
    return folder
  }
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'supabase'))) return folder
    if (folder === dirname(folder)) {
      throw new UsageError(
        'No folder "supabase" here or above. Make one with `npx supabase init`, or name a project with --workdir.',
      )
    }
  }
}

/** The values of an option that may be given several times, each time with several values separated by commas. */
export const splitNames = (values: readonly string[]): string[] =>
  values
    .flatMap((value) => value.split(','))
    .map((name) => name.trim())
    .filter(Boolean)
