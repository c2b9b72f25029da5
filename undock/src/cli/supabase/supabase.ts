import { type ParseArgsConfig, parseArgs } from 'node:util'
import { findBackend, nearestProject, UsageError } from '../arguments.ts'
import { failureText } from '../report.ts'
import { FLAGS, type Replacement, text, type Values } from './call.ts'
import { passOn } from './cli.ts'
import { SCHEMA_COMMANDS } from './schema-commands.ts'
import { STACK_COMMANDS } from './stack-commands.ts'

/** The flags of every command of the Supabase CLI. @see supabase 3.1, `supabase --help` */
const GLOBAL_FLAGS = {
  workdir: { type: 'string' },
  output: { type: 'string', short: 'o' },
  'output-format': { type: 'string' },
  'log-level': { type: 'string' },
  profile: { type: 'string' },
  'network-id': { type: 'string' },
  'dns-resolver': { type: 'string' },
  agent: { type: 'string' },
  debug: { type: 'boolean' },
  experimental: { type: 'boolean' },
  yes: { type: 'boolean' },
} as const satisfies ParseArgsConfig['options']

const REPLACEMENTS: Readonly<Record<string, Replacement>> = { ...STACK_COMMANDS, ...SCHEMA_COMMANDS }

/** `undock supabase`: runs the commands of the Supabase CLI. Those that need Docker there run here, with the same flags, output formats and
 *  exit codes; the others are passed to it.
 *  @see supabase 3.1, `supabase <command> --help`
 *  @returns the exit code: 1 for every failure, as upstream. */
export async function supabase(words: readonly string[]): Promise<number> {
  try {
    return await runCommand(words)
  } catch (error) {
    console.error(failureText(error))
    return 1
  }
}

async function runCommand(words: readonly string[]): Promise<number> {
  const { positionals, values: early } = parseArgs({ args: [...words], options: GLOBAL_FLAGS, strict: false })
  const named = text('workdir', early.workdir ?? (process.env.SUPABASE_WORKDIR || undefined))
  // None is needed for commands such as `init`.
  const workdir = nearestProject(named.workdir)
  const path = [4, 2, 1].map((count) => positionals.slice(0, count)).find((names) => nameOf(names) in REPLACEMENTS)
  const replacement = path && REPLACEMENTS[nameOf(path)]
  if (!replacement || words.includes('--help') || words.includes('-h')) return passOn(workdir, words)
  const { values, positionals: rest } = parseFlags(words, replacement)
  const address = addressOf(values)
  const isElsewhere =
    !replacement.takesAny &&
    'remote' in replacement.flags &&
    Object.keys(FLAGS.ELSEWHERE).some((name) => values[name] !== undefined)
  if (isElsewhere && !replacement.takesAddress) return passOn(workdir, words)
  if (isElsewhere && address === null)
    throw new UsageError(
      `\`undock supabase ${path.join(' ')}\` works with this backend or with a database URL: --remote=postgresql://…\n` +
        'The dashboard of a hosted project shows the URL under Connect.',
    )
  return replacement.run({
    get backend() {
      return findBackend(named)
    },
    words,
    values,
    address,
    rest: rest.slice(path.length),
  })
}

/** The CLI accepts both `-o=json` and `-ojson`. */
const SHORT_WITH_VALUE = /^-(\w)=/

/** `supabase migrations` is the same as `supabase migration`. */
const nameOf = (names: readonly string[]): string => names.join(' ').replace(/^migrations /, 'migration ')

function parseFlags(words: readonly string[], { flags }: Replacement): { values: Values; positionals: string[] } {
  try {
    // Upstream's flag without a value means the linked project.
    const args = words.map((word) => (word === '--remote' ? '--remote=' : word.replace(SHORT_WITH_VALUE, '-$1')))
    return parseArgs({ args, options: { ...GLOBAL_FLAGS, ...flags }, allowPositionals: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** The database URL in the flags; null for a hosted project, or without such flags. */
function addressOf(values: Values): string | null {
  const named = values['db-url'] ?? values.remote
  return typeof named === 'string' && /^postgres(?:ql)?:\/\//.test(named) ? named : null
}
