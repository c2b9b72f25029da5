import { readFile } from 'node:fs/promises'
import { text as readText } from 'node:stream/consumers'
import { readProjectConfig } from '../../config/project.ts'
import type { ContentPart } from '../../database/project/project-content.ts'
import { lossesOf } from '../../database/statements/losses.ts'
import { splitStatements } from '../../database/statements/split-statements.ts'
import { userCacheFolder } from '../../platform/folders.ts'
import { MIGRATION } from '../../runtime/branches/undo.ts'
import { listStacks } from '../../runtime/place/record.ts'
import { SERVICES } from '../../runtime/stack/options.ts'
import { type Backend, STATUS_FORMATS, type StatusFormat, UsageError, withName } from '../arguments.ts'
import { announceChange, keepForUndo } from '../branches/undo.ts'
import { dbTest } from '../database/test.ts'
import { functionsServe } from '../functions/serve.ts'
import { findRunning, NotRunningError, type Running } from '../running.ts'
import { readMigrationReport } from '../stack/migration-notes.ts'
import { emptyStopped, resetRunning } from '../stack/reset.ts'
import { start } from '../stack/start.ts'
import { status } from '../stack/status.ts'
import { stop } from '../stack/stop.ts'
import { asRemote, type Call, FLAGS, isWanted, list, optionsOf, type Replacement, text, type Values } from './call.ts'
import { passOn, runningOf } from './cli.ts'

const { DATABASE, ELSEWHERE, FILE, LIST, NO_SNAPSHOT, SCHEMA, SWITCH, switches, TEXT } = FLAGS

const TEST: Replacement = { flags: DATABASE, run: ({ backend, rest }) => dbTest(rest, optionsOf(backend)) }

/** The commands that start, use and stop the backend. */
export const STACK_COMMANDS: Readonly<Record<string, Replacement>> = {
  start: {
    flags: { exclude: { ...LIST, short: 'x' }, ...switches('ignore-health-check', 'preview') },
    run: async ({ backend, values }) =>
      (await startUnlessRunning(backend, list(values.exclude))) ?? printStatus(backend, values),
  },
  'db start': {
    flags: { 'from-backup': TEXT },
    run: async ({ backend, values }) => {
      if (values['from-backup'] !== undefined)
        throw new UsageError('--from-backup restores a backup of a hosted server, which undock cannot read.')
      return (await startUnlessRunning(backend, [...SERVICES])) ?? 0
    },
  },
  stop: {
    flags: { ...switches('no-backup', 'all', 'backup'), 'project-id': TEXT, ...NO_SNAPSHOT },
    run: async ({ backend, values }) => {
      if (values.all && values['no-backup'])
        throw new UsageError('--no-backup deletes the data of one project: run it there, without --all.')
      if (values.all) return stop({ all: true, timeout: 20 })
      const id = values['project-id']
      const stopped = id === undefined ? [backend] : await backendsOf(String(id))
      const none = `No running backend has the project_id "${id}"`
      if (stopped.length === 0 && values['no-backup'])
        throw new UsageError(`${none}, so its data can't be found. Run this in its folder.`)
      if (stopped.length === 0) console.error(`${none}.`)
      for (const one of stopped) {
        const isDeleted = values['no-backup'] && (await announceChange(one, 'delete the data'))
        const code = await stop({ ...optionsOf(one), all: false, timeout: 20 }).catch(notRunning)
        if (code !== 0) return code
        if (isDeleted) await emptyStopped(one, 'stop --no-backup', isWanted(values))
      }
      return 0
    },
  },
  status: {
    flags: { 'override-name': LIST, exclude: LIST, 'ignore-health-check': SWITCH },
    run: ({ backend, values }) => printStatus(backend, values),
  },
  'db reset': {
    flags: { ...DATABASE, 'no-seed': SWITCH, 'sql-paths': LIST, version: TEXT, last: TEXT, ...NO_SNAPSHOT },
    takesAny: true,
    // Upstream only resets a running stack.
    run: async (call) => {
      const { backend, values, words, rest } = call
      if (!(await isOwnDatabase(call))) return passOn(backend.workdir, words)
      if (rest.length > 0) throw new UsageError(`\`db reset\` has no argument, such as "${rest[0]}".`)
      const part = contentPart(values)
      await findRunning(backend)
      await keepForUndo(backend, 'reset', 'delete the data', isWanted(values))
      return resetRunning(backend, part)
    },
  },
  'db push': passedOn(
    'db push',
    changeOfMigrations,
    switches('include-all', 'include-roles', 'include-seed', 'skip-vault', 'dry-run'),
  ),
  'migration up': passedOn(MIGRATION, changeOfMigrations, { 'include-all': SWITCH }),
  'migration down': passedOn('migration down', () => 'delete the data', { last: TEXT }),
  'db query': passedOn('db query', changeOfStatements, { ...FILE, 'read-only': SWITCH }),
  'storage rm': passedOn('storage rm', ({ rest }) => `delete ${rest.join(', ')}`, {
    recursive: { ...SWITCH, short: 'r' },
  }),
  'test db': TEST,
  'db test': TEST,
  'migration list': {
    flags: DATABASE,
    run: async ({ backend, words }) => {
      const code = await passOn(backend.workdir, words)
      const running = await runningOf(backend)
      if (running)
        for (const fault of (await readMigrationReport(running)).faults) console.error(withName(fault, backend.name))
      return code
    },
  },
  'gen types': {
    flags: {
      ...DATABASE,
      lang: TEXT,
      ...SCHEMA,
      'swift-access-control': TEXT,
      'postgrest-v9-compat': SWITCH,
      'query-timeout': TEXT,
    },
    run: async (call) => passOn(call.backend.workdir, await asRemote(call)),
  },
  'functions serve': {
    flags: {
      ...switches('no-verify-jwt', 'inspect', 'inspect-main'),
      'env-file': TEXT,
      'import-map': TEXT,
      'inspect-mode': TEXT,
    },
    run: async ({ backend, values }) => {
      const refused = ['import-map', 'inspect', 'inspect-mode', 'inspect-main'].filter((name) => values[name])
      if (refused.length > 0)
        throw new UsageError(
          `The running backend serves the functions, so --${refused.join(', --')} is not supported here.\n` +
            'Set import_map in [functions.NAME] of supabase/config.toml. `UNDOCK_INSPECT_FUNCTIONS=1 undock start` opens the port for debuggers.',
        )
      return functionsServe({
        ...optionsOf(backend),
        ...text('envFile', values['env-file']),
        noVerifyJwt: values['no-verify-jwt'] === true,
      })
    },
  },
}

/** Returns what a command is about to do, such as "delete the data". Null if no copy is needed. */
type DeedOf = (call: Call, running: Running) => string | null | Promise<string | null>

/** A command of the Supabase CLI that changes data. Keeps a copy of the running backend's. */
function passedOn(command: string, deedOf: DeedOf, flags: Replacement['flags']): Replacement {
  return {
    takesAny: true,
    flags: { ...DATABASE, ...NO_SNAPSHOT, ...flags },
    run: async (call) => {
      const { backend, values } = call
      const words = call.words.filter((word) => word !== '--no-snapshot')
      const isPiped = command === 'db query' && call.rest.length === 0 && !values.file && !process.stdin.isTTY
      const piped = isPiped ? await readText(process.stdin) : undefined
      const running = await runningOf(backend)
      if (running && !values['dry-run'] && !values['read-only'] && (await isOwnDatabase(call))) {
        const deed = await deedOf({ ...call, rest: piped === undefined ? call.rest : [piped] }, running)
        if (deed) await keepForUndo(backend, command, deed, isWanted(values))
      }
      return passOn(backend.workdir, words, piped)
    },
  }
}

async function changeOfMigrations({ values }: Call, running: Running): Promise<string | null> {
  const { pending } = await readMigrationReport(running)
  return pending.length > 0 || values['include-seed'] || values['include-roles'] ? 'change the data' : null
}

async function changeOfStatements({ rest: [sql], values }: Call): Promise<string | null> {
  const script = sql ?? (await readFile(String(values.file), 'utf8').catch(() => ''))
  const losses = splitStatements(script).flatMap(({ text }) => lossesOf(text))
  const deeds = losses.map(({ action, kind, name }) => `${action} ${kind} ${name}`)
  return deeds.length === 0 ? null : `change the data (${deeds.join(', ')})`
}

/** Whether the flags mean the backend's own database, also by URL. */
async function isOwnDatabase({ backend, values, address }: Call): Promise<boolean> {
  if (address === null) return !Object.keys(ELSEWHERE).some((name) => values[name] !== undefined)
  const own = (await runningOf(backend))?.dbUrl
  const placeOf = (url: string): string => new URL(url).host.replace(/^(?:localhost|\[::1\]):/, '127.0.0.1:')
  return own !== undefined && placeOf(address) === placeOf(own)
}

/** @returns null if it's already running. */
async function startUnlessRunning(backend: Backend, exclude: string[]): Promise<number | null> {
  if (!(await runningOf(backend)))
    return start({ ...optionsOf(backend), ports: 'config', https: false, detach: true, exclude })
  console.error('The backend is already running.')
  return null
}

function printStatus(backend: Backend, values: Values): Promise<number> {
  const { 'output-format': format = 'text', output = format === 'text' ? 'pretty' : format } = values
  if (!STATUS_FORMATS.includes(output as StatusFormat))
    throw new UsageError(`--output accepts ${STATUS_FORMATS.join(', ')}, not "${output}".`)
  return status({
    ...optionsOf(backend),
    output: output as StatusFormat,
    overrideName: list(values['override-name']),
  })
}

/** Returns what `supabase db reset` applies with these flags. @throws {UsageError}
 *  @see supabase 3.1, `supabase db reset --help` */
function contentPart({ version, last, 'no-seed': isUnseeded, 'sql-paths': sqlPaths }: Values): ContentPart {
  const paths = list(sqlPaths)
  if (version && last) throw new UsageError('Use --version or --last, not both.')
  if (isUnseeded && paths.length > 0) throw new UsageError('Use --no-seed or --sql-paths, not both.')
  if (paths.includes('')) throw new UsageError('--sql-paths needs a path or pattern.')
  if (version && !/^\d+$/.test(String(version)))
    throw new UsageError(`--version needs the number of a migration, not "${version}".`)
  if (last !== undefined && !/^\d+$/.test(String(last))) throw new UsageError(`--last needs a number, not "${last}".`)
  return {
    ...text('until', version || undefined),
    ...(last === undefined ? {} : { without: Number(last) }),
    ...(isUnseeded ? { seed: false } : {}),
    ...(paths.length > 0 ? { seed: paths } : {}),
  }
}

/** Returns the running backends of projects with this project_id. */
async function backendsOf(projectId: string): Promise<Backend[]> {
  const stacks = await listStacks(userCacheFolder(process.env))
  return stacks.filter(({ workdir }) => projectIdOf(workdir) === projectId)
}

/** @returns null if config.toml can't be read; the backend then runs with an earlier version of it. */
function projectIdOf(workdir: string): string | null {
  try {
    return readProjectConfig(workdir).config.project_id
  } catch {
    return null
  }
}

/** Upstream's `stop` succeeds when nothing runs. */
function notRunning(error: unknown): number {
  if (!(error instanceof NotRunningError)) throw error
  console.error(error.message)
  return 0
}
