import { Command, InvalidArgumentError, Option } from 'commander'
import { ACTIONS } from '../access/questions.ts'
import { parseDuration, parseSize } from '../config/units.ts'
import type { Sample } from '../database/import/import-data.ts'
import { STARTER_NAMES } from '../database/starters/catalog.ts'
import { undockVersion } from '../kernel/undock-version.ts'
import { FEATURES } from '../mcp/agent-settings.ts'
import { SERVICES } from '../runtime/service-names.ts'
import type { AdvisorsOptions } from './advisors.ts'
import { ADVISOR_LEVELS, ADVISOR_TYPES, type BackendOptions, FAILING_LEVELS, STATUS_FORMATS } from './arguments.ts'
import { addBranchCommands } from './branch-commands.ts'
import { addCommand, addGroup, collect, name, outputFormat, schema, workdir } from './command-parts.ts'
import type { ConsoleOptions } from './console.ts'
import type { DbDiffOptions } from './db-diff.ts'
import type { DbDumpOptions } from './db-dump.ts'
import type { DbMoveOptions } from './db-move.ts'
import type { DoctorOptions } from './doctor.ts'
import type { ExplainOptions } from './explain.ts'
import type { NewFunctionOptions } from './functions-new.ts'
import {
  COMPLETION_NOTES,
  DATABASE_NOTES,
  EXPLAIN_NOTES,
  errorText,
  examples,
  IMPORT_FILES_NOTES,
  IMPORT_NOTES,
  MCP_NOTES,
  optionDescription,
  PROGRAM_NOTES,
  REPLAY_NOTES,
  REQUESTS_NOTES,
  RUN_NOTES,
  SUPABASE_NOTES,
} from './help.ts'
import type { ImportOptions } from './import.ts'
import type { ImportFilesOptions } from './import-files.ts'
import type { InitOptions } from './init.ts'
import type { ListOptions } from './list.ts'
import type { LogsOptions } from './logs.ts'
import type { McpOptions } from './mcp.ts'
import type { PoliciesOptions, PolicyTestsOptions } from './policies.ts'
import type { RequestsOptions, ShowRequestOptions } from './requests.ts'
import type { ReplayRequestOptions, RequestTestOptions } from './requests-replay.ts'
import type { RunOptions } from './run.ts'
import type { StartOptions } from './start.ts'
import type { StatusOptions } from './status.ts'
import type { StopOptions } from './stop.ts'

/** One invocation of undock.
 *  @property afterDash The command that `undock run` runs after `--`, or that follows `undock supabase`.
 *  @property exitCode Set by the command. */
export type Invocation = { readonly afterDash: readonly string[]; exitCode: number }

/** All commands of undock with their options, defaults and help. Each action imports its command's
 *  module when it is called, so that help and `status` load no database engine. */
export function createProgram(invocation: Invocation): Command {
  const program = new Command('undock')
    .description('The whole Supabase backend on this machine, in one command, without Docker.')
    .version(undockVersion(), '-v, --version', 'print the version of undock')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command...]', 'print the help of a command')
    .configureHelp({ subcommandTerm: (command) => command.name(), optionDescription })
    .configureOutput({ outputError: (text, write) => write(errorText(text)) })
    .exitOverride()
    .showHelpAfterError('See `undock --help`.')
    .addHelpText('after', PROGRAM_NOTES)

  const exit = async (code: Promise<number>): Promise<void> => {
    invocation.exitCode = await code
  }

  addCommand(program, 'start', 'start the backend of a project, until Ctrl-C or in the background', [
    workdir(),
    name(),
    new Option(
      '-x, --exclude <services>',
      `leave these out, separated by commas: ${SERVICES.join(', ')} (default: none)`,
    )
      .argParser(collect)
      .default([]),
    new Option('--detach', 'return as soon as the backend is ready; it runs until `undock stop`').default(false),
    ports('config'),
    new Option(
      '--host <address>',
      'listen on this address, such as 0.0.0.0 for other devices (default: that of undock.toml)',
    ),
    new Option('--https', 'serve the API over HTTPS, with a certificate made for this project').default(false),
    new Option('--db-url <url>', 'use this Postgres server (default: that of undock.toml, or one of its own)'),
  ])
    .addHelpText(
      'after',
      examples(
        'undock start --detach',
        'undock start --exclude storage,functions --ports free',
        'undock start --name review',
      ),
    )
    .action((options: StartOptions) => exit(import('./start.ts').then(({ start }) => start(options))))

  addCommand(program, 'run', 'run one command with a backend in memory, which ends with it', [workdir(), ports('free')])
    .usage('[options] -- <command...>')
    .showHelpAfterError('Put -- before the command: undock run -- npm test\nSee `undock run --help`.')
    .addHelpText('after', RUN_NOTES + examples('undock run -- npm test', 'undock run -- undock db test'))
    .action((options: RunOptions) => exit(import('./run.ts').then(({ run }) => run(options, invocation.afterDash))))

  addCommand(program, 'status', 'print the URLs and keys of the running backend', [
    workdir(),
    name(),
    new Option('-o, --output <format>', 'pretty for people, the others for programs')
      .choices(STATUS_FORMATS)
      .default('pretty'),
    new Option(
      '--override-name <key=name>',
      'rename a variable of env and json; can be given several times (default: none)',
    )
      .argParser(collect)
      .default([]),
  ])
    .addHelpText(
      'after',
      examples('undock status -o env', 'undock status -o env --override-name api.url=NEXT_PUBLIC_SUPABASE_URL'),
    )
    .action((options: StatusOptions) => exit(import('./status.ts').then(({ status }) => status(options))))

  addCommand(program, 'list', 'print the backends that run on this machine, of all projects', [
    new Option('-o, --output <format>', 'pretty for people, json for programs')
      .choices(['pretty', 'json'])
      .default('pretty'),
  ]).action((options: ListOptions) => exit(import('./list.ts').then(({ list }) => list(options))))

  addCommand(program, 'stop', 'stop the running backend; its data stays in supabase/.undock', [
    workdir(),
    name(),
    new Option('--all', 'stop every backend that `undock list` shows').default(false).conflicts(['workdir', 'name']),
    new Option('--timeout <seconds>', 'wait this long before the process is killed').argParser(seconds).default(20),
  ]).action((options: StopOptions) => exit(import('./stop.ts').then(({ stop }) => stop(options))))

  addCommand(program, 'reset', 'delete all data, then apply migrations and seed again', [workdir(), name()]).action(
    (options: BackendOptions) => exit(import('./reset.ts').then(({ reset }) => reset(options))),
  )

  addCommand(program, 'logs', 'print what the services have logged, oldest first', [
    workdir(),
    name(),
    new Option('-f, --follow', 'go on printing what is logged from now on').default(false),
  ])
    .argument('[service]', 'print the log of this service only (default: all)')
    .addHelpText('after', examples('undock logs functions --follow'))
    .action((service: string | undefined, options: LogsOptions) =>
      exit(import('./logs.ts').then(({ logs }) => logs(service, options))),
    )

  addCommand(program, 'doctor', 'report what may fail here, and what would fail on a hosted project', [
    workdir(),
    new Option('--ci', 'end with code 1 when a fault was found').default(false),
  ]).action((options: DoctorOptions) => exit(import('./doctor.ts').then(({ doctor }) => doctor(options))))

  const requests = addCommand(program, 'requests', 'print the last requests, and what each of them caused', [
    workdir(),
    name(),
    new Option('-f, --follow', 'go on printing requests as they are answered').default(false),
    new Option('--failed', 'only requests that failed, or in which something failed').default(false),
    new Option('--slow <duration>', 'only requests that took this long, such as 200ms or 1.5s').argParser(milliseconds),
    new Option('--service <name>', 'only requests to this service, such as rest or auth (default: all)'),
    new Option('--limit <number>', 'print this many').argParser(wholeNumber).default(50),
    new Option('--from <file>', 'of a file that `undock requests save` wrote (default: of the running backend)'),
    outputFormat(),
  ])
    .addHelpText('after', REQUESTS_NOTES)
    .action((options: RequestsOptions) => exit(import('./requests.ts').then(({ requests }) => requests(options))))
  addCommand(requests, 'show', 'print a request with its SQL, mails, calls and the requests that it caused', [])
    .argument('<id>', 'the id that `undock requests` prints, or its beginning')
    .action((id: string, _options: unknown, command: Command) =>
      exit(
        import('./requests.ts').then(({ showRequest }) =>
          showRequest(id, command.optsWithGlobals<ShowRequestOptions>()),
        ),
      ),
    )
  addCommand(requests, 'save', 'write the last requests to a file, to look at later or elsewhere', [])
    .argument('<file>', 'ending in .har for an HTTP Archive, else for --from')
    .addHelpText('after', examples('undock requests save failed.json', 'undock requests --from failed.json'))
    .action((file: string, _options: unknown, command: Command) =>
      exit(
        import('./requests.ts').then(({ saveRequests }) =>
          saveRequests(file, command.optsWithGlobals<BackendOptions>()),
        ),
      ),
    )
  addCommand(requests, 'replay', 'send a request again, as its caller or as somebody else, and compare the answers', [
    new Option('--as <caller>', "a user's id or address, or a role (default: the caller of then)"),
    new Option('--body <file>', 'send this body instead of the one that was kept; - reads it from stdin'),
    new Option('--secret <path=value>', 'a value that was not kept; may be given several times')
      .argParser((value: string, all: readonly string[]) => [...all, value])
      .default([]),
  ])
    .argument('<id>', 'the id that `undock requests` prints, or its beginning')
    .addHelpText('after', REPLAY_NOTES)
    .action((id: string, _options: unknown, command: Command) =>
      exit(
        import('./requests-replay.ts').then(({ replayRequest }) =>
          replayRequest(id, command.optsWithGlobals<ReplayRequestOptions>()),
        ),
      ),
    )
  addCommand(requests, 'to-test', 'write a test of Vitest that makes a request again with supabase-js', [
    new Option('--file <path>', 'the file to write (default: request-ID.test.ts)'),
    new Option('--force', 'replace the file').default(false),
  ])
    .argument('<id>', 'the id that `undock requests` prints, or its beginning')
    .addHelpText('after', examples('undock requests to-test 3f2a91bc --file tests/notes.test.ts'))
    .action((id: string, _options: unknown, command: Command) =>
      exit(
        import('./requests-replay.ts').then(({ writeRequestTest }) =>
          writeRequestTest(id, command.optsWithGlobals<RequestTestOptions>()),
        ),
      ),
    )

  const policies = addCommand(program, 'policies', 'print what each role may do with each table', [
    workdir(),
    name(),
    outputFormat(),
  ]).action((options: PoliciesOptions) => exit(import('./policies.ts').then(({ policies }) => policies(options))))
  addCommand(policies, 'test', 'write a pgTAP file that fails when strangers can do more than now', [
    workdir(),
    name(),
    new Option('--file <path>', 'relative to supabase/').default('tests/strangers.test.sql'),
    new Option('--force', 'replace the file').default(false),
  ])
    .addHelpText('after', examples('undock policies test && undock db test'))
    .action((_options: unknown, command: Command) =>
      exit(
        import('./policies.ts').then(({ writePolicyTests }) =>
          writePolicyTests(command.optsWithGlobals<PolicyTestsOptions>()),
        ),
      ),
    )

  addCommand(program, 'explain', 'tell whether somebody may read or write something, and why', [
    workdir(),
    name(),
    new Option('--as <caller>', "a user's id or address, or a role such as anon"),
    new Option('--where <sql>', 'the rows that are asked about, as in SQL (default: all)'),
    new Option('--row <json>', 'the values that are inserted, or that an update sets'),
    new Option('--returning', 'the rows are returned, as by .select()').default(false),
    new Option('--claims <json>', "claims that replace or join those of the user's token"),
    outputFormat(),
  ])
    .usage('[options] --as <caller> <action> <target>\n       undock explain [options] <request>')
    .argument('<action>', `${ACTIONS.join(', ')}; or the id of a request that happened`)
    .argument('[target]', 'a table or view (schema.name), a stored file (bucket/path), or a topic of Realtime')
    .addHelpText('after', EXPLAIN_NOTES)
    .action((action: string, target: string | undefined, options: ExplainOptions) =>
      exit(import('./explain.ts').then(({ explain }) => explain(action, target, options))),
    )

  addCommand(program, 'console', 'open the console of the running backend in the browser', [
    workdir(),
    name(),
    new Option('--no-open', 'print the link only'),
  ]).action((options: ConsoleOptions) => exit(import('./console.ts').then(({ openConsole }) => openConsole(options))))

  addCommand(program, 'mcp', 'offer the running backend to a coding agent, over stdin and stdout', [
    workdir(),
    name(),
    new Option('--read-only', 'leave out tools that write, and run SQL in read only transactions').default(false),
    new Option('--features <groups>', `offer these, separated by commas: ${FEATURES.join(', ')} (default: all)`)
      .argParser(collect)
      .default([]),
  ])
    .addHelpText('after', MCP_NOTES + examples('claude mcp add undock -- npx undock mcp --read-only'))
    .action((options: McpOptions) => exit(import('./mcp.ts').then(({ mcp }) => mcp(options))))

  addCommand(program, 'init', 'begin a project with an example, or let coding agents find the backend', [
    workdir(),
    new Option('--starter <name>', 'write a migration, seed and tests, and apply them to the running backend').choices(
      STARTER_NAMES,
    ),
    new Option('--agent', 'settings for Claude Code, Cursor, VS Code and AGENTS.md; files that exist are kept').default(
      false,
    ),
    new Option('--read-only', 'the agents may only read').default(false),
  ])
    .addHelpText('after', examples('undock init --starter todo', 'undock init --agent'))
    .action((options: InitOptions) => exit(import('./init.ts').then(({ init }) => init(options))))

  const imports = addCommand(
    program,
    'import',
    'copy rows of another database, such as that of a hosted project, into the local one',
    [
      workdir(),
      name(),
      new Option('--db-url <url>', 'the database to read from (default: UNDOCK_IMPORT_DB_URL)'),
      new Option(
        '--tables <names>',
        'only these tables, separated by commas, and the rows that they refer to (default: all of the project, and users)',
      )
        .argParser(collect)
        .default([]),
      new Option('-x, --exclude <tables>', 'leave these tables out, separated by commas (default: none)')
        .argParser(collect)
        .default([]),
      new Option(
        '--sample <share>',
        'so much of each table, such as 1% or 1000 rows, and the rows that they refer to',
      ).argParser(sampleSize),
      new Option('--anonymize', 'replace personal data by fakes, and leave out passwords and factors').default(false),
      new Option(
        '--storage <what>',
        'metadata also imports buckets and the rows of files; `undock import files` downloads them',
      )
        .choices(['none', 'metadata'])
        .default('none'),
      new Option('--replace', 'empty the tables first (default: they must be empty)').default(false),
      new Option('--yes', 'do not ask before rows are written').default(false),
    ],
  )
    .addHelpText('after', IMPORT_NOTES)
    .action((options: ImportOptions) => exit(import('./import.ts').then(({ importRows }) => importRows(options))))
  addCommand(imports, 'files', 'download the files of imported objects that are not here yet', [
    new Option('--from <url>', "the address of the other project's API").makeOptionMandatory(),
    new Option('--buckets <names>', 'only these buckets, separated by commas (default: all)')
      .argParser(collect)
      .default([]),
    new Option('--max-size <size>', 'only files up to this size, such as 10MB (default: all)').argParser(fileSize),
  ])
    .addHelpText('after', IMPORT_FILES_NOTES)
    .action((_options: unknown, command: Command) =>
      exit(
        import('./import-files.ts').then(({ importFiles }) =>
          importFiles(command.optsWithGlobals<ImportFilesOptions>()),
        ),
      ),
    )

  addCommand(program, 'advisors', 'report common faults of the database that affect security or speed', [
    workdir(),
    name(),
    new Option('--type <which>', 'which faults').choices(ADVISOR_TYPES).default('all'),
    new Option('--level <level>', 'leave out what is below').choices(ADVISOR_LEVELS).default('warn'),
    new Option('--fail-on <level>', 'end with code 1 when this level or a higher one is printed')
      .choices(FAILING_LEVELS)
      .default('none'),
    dbUrl(),
    outputFormat(),
  ])
    .addHelpText('after', DATABASE_NOTES + examples('undock advisors --type security --fail-on error'))
    .action((options: AdvisorsOptions) => exit(import('./advisors.ts').then(({ advisors }) => advisors(options))))

  addBranchCommands(program, exit)

  const db = addGroup(program, 'db', 'test, compare and dump the database')
  addCommand(db, 'test', 'run the pgTAP files of supabase/tests', [workdir(), name()])
    .argument('[files...]', 'files or patterns, relative to supabase/ (default: tests/**/*.sql and tests/**/*.pg)')
    .addHelpText('after', DATABASE_NOTES + examples('undock db test', 'undock db test tests/policies.sql'))
    .action((files: string[], options: BackendOptions) =>
      exit(import('./db-test.ts').then(({ dbTest }) => dbTest(files, options))),
    )
  addCommand(db, 'diff', 'print, as SQL, what the database has beyond the migrations', [
    workdir(),
    name(),
    new Option('-f, --file <name>', 'write a migration of this name (default: print)'),
    schema(),
    dbUrl(),
    ...cliOptions('--local', '--use-pg-delta'),
  ])
    .addHelpText('after', DATABASE_NOTES + examples('undock db diff -f add_notes'))
    .action((options: DbDiffOptions) => exit(import('./db-diff.ts').then(({ dbDiff }) => dbDiff(options))))
  addCommand(db, 'dump', 'print the schema, the rows or the roles of the database as SQL', [
    workdir(),
    name(),
    new Option('--data-only', 'dump the rows (default: the schema)').default(false),
    new Option('--role-only', 'dump the roles (default: the schema)').default(false),
    schema(),
    new Option(
      '-x, --exclude <tables>',
      'with --data-only, leave these tables out, separated by commas (default: none)',
    )
      .argParser(collect)
      .default([]),
    new Option('--keep-comments', 'keep the comments that pg_dump writes').default(false),
    new Option('-f, --file <path>', 'write to this file (default: print)'),
    dbUrl(),
    ...cliOptions('--local', '--use-copy'),
  ])
    .addHelpText('after', DATABASE_NOTES + examples('undock db dump --data-only -f supabase/seed.sql'))
    .action((options: DbDumpOptions) => exit(import('./db-dump.ts').then(({ dbDump }) => dbDump(options))))

  addCommand(db, 'move', 'copy the kept rows, users and secrets to another engine or version', [
    workdir(),
    name(),
    new Option('--to <engine>', 'PostgreSQL in the version of db.major_version, or PGlite')
      .choices(['native', 'pglite'])
      .default('native'),
  ])
    .addHelpText('after', MOVE_NOTES + examples('undock db move', 'undock db move --to pglite'))
    .action((options: DbMoveOptions) => exit(import('./db-move.ts').then(({ dbMove }) => dbMove(options))))

  const functions = addGroup(program, 'functions', 'create edge functions, and fetch what they import')
  addCommand(functions, 'new', 'create an edge function and its section of config.toml', [
    workdir(),
    new Option('--auth <kind>', 'who may call it: programs with a key of the project, signed-in users, or anybody')
      .choices(['apikey', 'user', 'none'])
      .default('apikey'),
  ])
    .argument('<name>', 'letters, digits, dashes and underscores, with a letter first')
    .addHelpText('after', examples('undock functions new send-mail --auth user'))
    .action((name: string, options: NewFunctionOptions) =>
      exit(import('./functions-new.ts').then(({ newFunction }) => newFunction(name, options))),
    )

  addCommand(functions, 'prepare', 'fetch Deno and what the functions import, and report those that cannot boot', [
    workdir(),
  ]).action((options: Pick<BackendOptions, 'workdir'>) =>
    exit(import('./functions-prepare.ts').then(({ prepareFunctions }) => prepareFunctions(options))),
  )

  addCommand(program, 'supabase', 'do what a command of the Supabase CLI does, without Docker', [])
    .usage('<command...>')
    .addHelpText('after', SUPABASE_NOTES + examples('undock supabase start', 'undock supabase db reset'))
    .action(() => exit(import('./supabase.ts').then(({ supabase }) => supabase(invocation.afterDash))))

  const completion = addGroup(program, 'completion', 'print a script that completes commands in a shell')
  for (const shell of ['bash', 'zsh', 'fish'] as const)
    addCommand(completion, shell, `print the script for ${shell}`, []).action(async () => {
      const { completionScript } = await import('./completion.ts')
      console.log(completionScript(program, shell))
    })
  completion.addHelpText('after', COMPLETION_NOTES)
  return program
}

const ports = (value: 'config' | 'free') =>
  new Option('--ports <which>', 'listen on the ports of config.toml (with --name on its own), or on any that are free')
    .choices(['config', 'free'])
    .default(value)
const MOVE_NOTES = `
The backend must be stopped. What was used last is copied. Structure comes from the migrations, so the kept data must have
theirs. The old data stays where it is until you delete it; files and mails belong to both.
`

const dbUrl = () => new Option('--db-url <url>', 'use the database at this address (default: see below)')
/** Options of the Supabase CLI that are accepted, or refused with a reason, and not listed in the help. */
const cliOptions = (...flags: readonly string[]) => flags.map((flag) => new Option(flag).default(false).hideHelp())

function milliseconds(value: string): number {
  const parsed = parseDuration(/^[\d.]+$/.test(value) ? `${value}ms` : value)
  if (parsed === undefined) throw new InvalidArgumentError('It takes a duration, such as 200ms or 1.5s.')
  return parsed * 1000
}

function sampleSize(value: string): Sample {
  const [, number = '', unit] = /^(\d+(?:\.\d+)?)(%?)$/.exec(value) ?? []
  const size = Number(number)
  if (unit === '%' && size > 0 && size <= 100) return { percent: size }
  if (unit === '' && Number.isSafeInteger(size) && size > 0) return { rows: size }
  throw new InvalidArgumentError('It takes a share of the rows, such as 1%, or a number of them, such as 1000.')
}

function fileSize(value: string): number {
  const bytes = parseSize(value)
  if (bytes === undefined) throw new InvalidArgumentError('It takes a size such as 500KB or 10MB.')
  return bytes
}

function wholeNumber(value: string): number {
  const parsed = Number(value)
  if (!Number.isInteger(parsed) || parsed < 1 || parsed > 1000)
    throw new InvalidArgumentError('It takes a whole number from 1 to 1000.')
  return parsed
}

function seconds(value: string): number {
  const parsed = Number(value)
  if (value.trim() === '' || !(parsed >= 0)) throw new InvalidArgumentError('It takes a number of seconds.')
  return parsed
}

/** The package.json: at the same relative place from the sources and from the built files. */
