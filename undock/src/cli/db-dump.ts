import { writeFile } from 'node:fs/promises'
import { dumpData, dumpRoles, dumpSchema } from '../database/dump/dump.ts'
import { findWorkdir, parse, UsageError } from './arguments.ts'
import { findDatabase } from './find-database.ts'

/** `undock db dump`: the structure, with `--data-only` the rows, with `--role-only` the roles. Flags are those of
 *  `supabase db dump`. */
export async function dbDump(args: readonly string[]): Promise<number> {
  const { values } = parse(args, {
    options: {
      workdir: { type: 'string' },
      'db-url': { type: 'string' },
      local: { type: 'boolean', default: false },
      'data-only': { type: 'boolean', default: false },
      'role-only': { type: 'boolean', default: false },
      'use-copy': { type: 'boolean', default: false },
      'keep-comments': { type: 'boolean', default: false },
      exclude: { type: 'string', short: 'x', multiple: true, default: [] },
      schema: { type: 'string', short: 's', multiple: true, default: [] },
      file: { type: 'string', short: 'f' },
    },
  })
  if (values['use-copy']) throw new UsageError('--use-copy is not there: rows are written as INSERT.')
  const isData = values['data-only'] as boolean
  const without = names(values.exclude as string[])
  if (without.length > 0 && !isData) throw new UsageError('--exclude works with --data-only.')
  const options = { schemas: names(values.schema as string[]), keepComments: values['keep-comments'] as boolean }
  const named = values['db-url'] as string | undefined
  const database = named
    ? { url: named, close: async () => undefined }
    : await findDatabase(findWorkdir(values.workdir as string | undefined))
  const dump = (): Promise<string> => {
    if (values['role-only']) return dumpRoles(database.url)
    return isData ? dumpData(database.url, options, without) : dumpSchema(database.url, options)
  }
  const text = await dump().finally(database.close)
  const file = values.file as string | undefined
  if (file === undefined) process.stdout.write(text)
  else await writeFile(file, text)
  return 0
}

const names = (values: readonly string[]): string[] => values.flatMap((value) => value.split(',')).filter(Boolean)
