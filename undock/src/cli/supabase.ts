import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { join, resolve } from 'node:path'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { readMigrations } from '../database/migrations/project-files.ts'
import type { ContentPart } from '../database/project/project-content.ts'
import { type Backend, findBackend, findWorkdir, STATUS_FORMATS, type StatusFormat, UsageError } from './arguments.ts'
import { dbDiff } from './db-diff.ts'
import { dbDump } from './db-dump.ts'
import { dbTest } from './db-test.ts'
import { logs } from './logs.ts'
import { failureText } from './report.ts'
import { deleteData, resetRunning } from './reset.ts'
import { findRunning, NotRunningError, type Running } from './running.ts'
import { start } from './start.ts'
import { status } from './status.ts'
import { stop } from './stop.ts'
import { findCli } from './supabase-cli.ts'

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

type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>

type Call = {
  readonly backend: Backend
  /** All words after `undock supabase`. */
  readonly words: readonly string[]
  readonly values: Values
  /** What follows the command's own words. */
  readonly rest: readonly string[]
}

/** A command for which the Supabase CLI needs a Docker engine, and undock does not. */
type Replacement = {
  readonly flags: NonNullable<ParseArgsConfig['options']>
  run(call: Call): Promise<number>
}

const TEXT = { type: 'string' } as const
const LIST = { type: 'string', multiple: true } as const
const SWITCH = { type: 'boolean' } as const
/** A database that is not this machine's backend; the CLI itself works on it. */
const ELSEWHERE = {
  remote: TEXT,
  linked: SWITCH,
  'db-url': TEXT,
  'project-id': TEXT,
  password: { ...TEXT, short: 'p' },
}
const LOCAL = { local: SWITCH }

const REPLACEMENTS: Readonly<Record<string, Replacement>> = {
  start: {
    flags: { exclude: { ...LIST, short: 'x' }, 'ignore-health-check': SWITCH },
    run: async ({ backend, values }) => {
      if (await runningOf(backend)) {
        console.error('The backend is running already.')
        return printStatus(backend, values)
      }
      const options = { ...optionsOf(backend), ports: 'config', https: false, detach: true } as const
      return start({ ...options, exclude: list(values.exclude) })
    },
  },
  stop: {
    flags: { 'no-backup': SWITCH, all: SWITCH, backup: SWITCH },
    run: async ({ backend, values }) => {
      if (values.all && values['no-backup'])
        throw new UsageError('--no-backup deletes the data of one project: run it there, without --all.')
      const options = values.all ? { all: true } : { ...optionsOf(backend), all: false }
      const code = await stop({ ...options, timeout: 20 }).catch(notRunning)
      if (!values['no-backup'] || code !== 0) return code
      await deleteData(backend)
      console.error('Its rows and files are deleted.')
      return 0
    },
  },
  status: {
    flags: { 'override-name': LIST },
    run: ({ backend, values }) => printStatus(backend, values),
  },
  'db reset': {
    flags: { ...ELSEWHERE, ...LOCAL, 'no-seed': SWITCH, 'sql-paths': LIST, version: TEXT, last: TEXT },
    // Upstream resets a running stack only.
    run: async ({ backend, values }) => resetRunning(backend, await contentPart(backend, values)),
  },
  'db diff': {
    flags: {
      ...ELSEWHERE,
      ...LOCAL,
      from: TEXT,
      to: TEXT,
      'use-migra': SWITCH,
      'use-pgadmin': SWITCH,
      'use-pg-delta': SWITCH,
      'strict-coverage': SWITCH,
      file: { ...TEXT, short: 'f' },
      schema: { ...LIST, short: 's' },
    },
    run: (call) => {
      const { backend, values } = call
      if (values.from !== undefined || values.to !== undefined) return passOn(backend.workdir, call.words)
      if (values['strict-coverage'])
        throw new UsageError('--strict-coverage cannot be given: undock does not report what it leaves out.')
      if (values['use-migra'] || values['use-pgadmin']) console.error('The difference is computed by pg-delta.')
      return dbDiff({ ...optionsOf(backend), ...text('file', values.file), schema: list(values.schema) })
    },
  },
  'db dump': {
    flags: {
      ...ELSEWHERE,
      ...LOCAL,
      'dry-run': SWITCH,
      'data-only': SWITCH,
      'use-copy': SWITCH,
      exclude: { ...LIST, short: 'x' },
      'role-only': SWITCH,
      'keep-comments': SWITCH,
      file: { ...TEXT, short: 'f' },
      schema: { ...LIST, short: 's' },
    },
    run: ({ backend, values }) => {
      if (values['dry-run']) throw new UsageError('--dry-run prints a script for pg_dump, which undock does not run.')
      return dbDump({
        ...optionsOf(backend),
        ...text('file', values.file),
        schema: list(values.schema),
        exclude: list(values.exclude),
        dataOnly: values['data-only'] === true,
        roleOnly: values['role-only'] === true,
        keepComments: values['keep-comments'] === true,
        useCopy: values['use-copy'] === true,
      })
    },
  },
  'test db': { flags: { ...ELSEWHERE, ...LOCAL }, run: testDatabase },
  'db test': { flags: { ...ELSEWHERE, ...LOCAL }, run: testDatabase },
  'gen types': {
    flags: {
      ...ELSEWHERE,
      ...LOCAL,
      lang: TEXT,
      schema: { ...LIST, short: 's' },
      'swift-access-control': TEXT,
      'postgrest-v9-compat': SWITCH,
      'query-timeout': TEXT,
    },
    run: async (call) => passOn(call.backend.workdir, await asRemote(call)),
  },
  'functions serve': {
    flags: {
      'no-verify-jwt': SWITCH,
      'env-file': TEXT,
      'import-map': TEXT,
      inspect: SWITCH,
      'inspect-mode': TEXT,
      'inspect-main': SWITCH,
    },
    run: async ({ backend, values }) => {
      const refused = ['import-map', 'inspect', 'inspect-mode', 'inspect-main'].filter((name) => values[name])
      if (refused.length > 0)
        throw new UsageError(
          `The running backend serves the functions, so --${refused.join(', --')} cannot be given here.\n` +
            'Set import_map in [functions.NAME] of supabase/config.toml. `UNDOCK_INSPECT_FUNCTIONS=1 undock start` opens the port for debuggers.',
        )
      const { url } = await serveFunctions(backend, values)
      console.error(`Serving functions on ${url}/functions/v1/<function-name>`)
      return logs('functions', { ...optionsOf(backend), follow: true })
    },
  },
}

/** `undock supabase`: takes the commands of the Supabase CLI. Those for which that insists on a Docker engine are done here, with
 *  its flags, output formats and exit codes; all others are passed on to it.
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
  const { positionals, values: early } = parseArgs({
    args: [...words],
    options: GLOBAL_FLAGS,
    strict: false,
    allowPositionals: true,
  })
  const workdir = projectFolder(text('workdir', early.workdir).workdir)
  const path = [positionals.slice(0, 2), positionals.slice(0, 1)].find((names) => names.join(' ') in REPLACEMENTS)
  const replacement = path && REPLACEMENTS[path.join(' ')]
  const isHelp = words.includes('--help') || words.includes('-h')
  if (!replacement || isHelp) return passOn(workdir, words)
  const { values, positionals: rest } = parseFlags(words, replacement)
  if (Object.keys(ELSEWHERE).some((name) => values[name] !== undefined)) return passOn(workdir, words)
  const backend = findBackend(text('workdir', values.workdir))
  return replacement.run({ backend, words, values, rest: rest.slice(path.length) })
}

function parseFlags(words: readonly string[], { flags }: Replacement): { values: Values; positionals: string[] } {
  try {
    return parseArgs({ args: [...words], options: { ...GLOBAL_FLAGS, ...flags }, allowPositionals: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** The folder of the project that the CLI finds; null without one, as for `init`. */
function projectFolder(named: string | undefined): string | null {
  try {
    return findWorkdir(named)
  } catch (error) {
    if (error instanceof UsageError) return null
    throw error
  }
}

const optionsOf = ({ workdir, name }: Backend) => ({ workdir, ...(name === null ? {} : { name }) })
const list = (value: Values[string]): string[] => [value ?? []].flat().map(String)
const text = <Name extends string>(name: Name, value: Values[string]): Partial<Record<Name, string>> =>
  typeof value === 'string' ? ({ [name]: value } as Record<Name, string>) : {}

function testDatabase({ backend, rest }: Call): Promise<number> {
  return dbTest(rest, optionsOf(backend))
}

function printStatus(backend: Backend, values: Values): Promise<number> {
  const { output = 'pretty' } = values
  if (!STATUS_FORMATS.includes(output as StatusFormat))
    throw new UsageError(`--output takes ${STATUS_FORMATS.join(', ')}, not "${output}".`)
  return status({
    ...optionsOf(backend),
    output: output as StatusFormat,
    overrideName: list(values['override-name']),
  })
}

/** What `supabase db reset` applies with these flags.
 *  @see supabase 3.1, `supabase db reset --help` */
async function contentPart({ workdir }: Backend, values: Values): Promise<ContentPart> {
  const until = values.version ?? (values.last === undefined ? undefined : await versionBefore(workdir, values.last))
  const paths = list(values['sql-paths'])
  return {
    ...text('until', until),
    ...(values['no-seed'] ? { seed: false } : {}),
    ...(paths.length > 0 ? { seed: paths } : {}),
  }
}

/** The version of the migration before the last `count` ones.
 *  @throws {UsageError} when there are not so many. */
async function versionBefore(workdir: string, count: Values[string]): Promise<string> {
  const migrations = await readMigrations(join(workdir, 'supabase'))
  const version = migrations.at(-Number(count) - 1)?.version
  if (!/^[1-9]\d*$/.test(String(count)) || version === undefined || Number(count) >= migrations.length)
    throw new UsageError(`--last takes a number below ${migrations.length}, the number of migrations, not "${count}".`)
  return version
}

/** Lets the running backend serve the functions with the settings of the flags until this process ends. */
async function serveFunctions(backend: Backend, values: Values): Promise<Running> {
  const running = await findRunning(backend)
  const envFile = values['env-file'] === undefined ? undefined : resolve(String(values['env-file']))
  if (envFile !== undefined && !existsSync(envFile)) throw new UsageError(`${envFile} does not exist.`)
  const response = await fetch(`${running.url}/undock/v1/functions/serve`, {
    method: 'POST',
    headers: { apikey: running.identity.keys.secret },
    body: JSON.stringify({ ...text('envFile', envFile), noVerifyJwt: values['no-verify-jwt'] === true }),
  })
  if (!response.ok) throw new UsageError(((await response.json()) as { message: string }).message)
  // An answer that nobody reads is closed when its object is collected.
  void response.body?.pipeTo(new WritableStream()).catch(() => undefined)
  return running
}

/** Upstream's `stop` succeeds when nothing runs. */
function notRunning(error: unknown): number {
  if (!(error instanceof NotRunningError)) throw error
  console.error(error.message)
  return 0
}

const runningOf = (backend: Backend): Promise<Running | null> =>
  findRunning(backend).catch((error: unknown) => {
    if (error instanceof NotRunningError) return null
    throw error
  })

/** The same command for the running backend's database by its address, for which the CLI needs no Docker engine. */
async function asRemote({ words, backend }: Call): Promise<readonly string[]> {
  const { dbUrl } = await findRunning(backend)
  return [...words.filter((word) => word !== '--local'), `--remote=${dbUrl}`]
}

/** Runs the Supabase CLI, which finds the running backend on the ports that it has. Without a project or a backend it runs, too.
 *  @returns its exit code. */
async function passOn(workdir: string | null, words: readonly string[]): Promise<number> {
  const command = findCli(workdir ?? process.cwd())
  if (!command)
    throw new UsageError(
      'This command is passed on to the Supabase CLI, which is not here: npm install --save-dev supabase',
    )
  const running = workdir === null ? null : await runningOf(findBackend({ workdir }))
  const ports = running && {
    SUPABASE_API_PORT: new URL(running.url).port,
    SUPABASE_DB_PORT: new URL(running.dbUrl).port,
  }
  const child = spawn(command, [...words], {
    stdio: 'inherit',
    env: { ...process.env, ...ports },
    // On Windows npm makes a script of it, which only a shell runs.
    shell: process.platform === 'win32',
  })
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  return code ?? 128 + constants.signals[signal ?? 'SIGTERM']
}
