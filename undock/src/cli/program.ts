import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import { STARTER_NAMES } from '../database/starters/catalog.ts'
import { undockVersion } from '../kernel/undock-version.ts'
import { FEATURES } from '../mcp/agent-settings.ts'
import { SERVICES } from '../runtime/service-names.ts'
import { type BackendOptions, STATUS_FORMATS } from './arguments.ts'
import { addBranchCommands } from './branch-commands.ts'
import { addCommand, addGroup, collect, name, workdir } from './command-parts.ts'
import type { ConsoleOptions } from './console.ts'
import { addDatabaseCommands } from './database-commands.ts'
import type { DoctorOptions } from './doctor.ts'
import type { NewFunctionOptions } from './functions-new.ts'
import {
  COMPLETION_NOTES,
  errorText,
  examples,
  MCP_NOTES,
  optionDescription,
  PROGRAM_NOTES,
  RUN_NOTES,
  SUPABASE_NOTES,
} from './help.ts'
import type { InitOptions } from './init.ts'
import type { ListOptions } from './list.ts'
import type { LogsOptions } from './logs.ts'
import type { McpOptions } from './mcp.ts'
import { PART_NAMES, type PartName } from './part-names.ts'
import { addRequestCommands } from './request-commands.ts'
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
    // It always does.
    new Option('--ci', 'end with code 1 when a fault was found').hideHelp(),
  ]).action((options: DoctorOptions) => exit(import('./doctor.ts').then(({ doctor }) => doctor(options))))

  addRequestCommands(program, exit)
  addCommand(program, 'console', 'open the console of the running backend in the browser', [
    workdir(),
    name(),
    new Option('--no-open', 'print the link only'),
  ]).action((options: ConsoleOptions) => exit(import('./console.ts').then(({ openConsole }) => openConsole(options))))

  addCommand(program, 'prefetch', 'fetch parts that undock is not installed with, for a machine without a network', [])
    .addArgument(new Argument('[parts...]', 'only these (default: all)').choices(PART_NAMES))
    .addHelpText('after', examples('undock prefetch', 'undock prefetch deno images'))
    .action((parts: PartName[]) => exit(import('./prefetch.ts').then(({ prefetch }) => prefetch(parts))))

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

  addDatabaseCommands(program, exit)
  addBranchCommands(program, exit)

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

function seconds(value: string): number {
  const parsed = Number(value)
  if (value.trim() === '' || !(parsed >= 0)) throw new InvalidArgumentError('It takes a number of seconds.')
  return parsed
}
