import { type Command, InvalidArgumentError, Option } from 'commander'
import { SERVICES } from '../../runtime/stack/service-names.ts'
import { STATUS_FORMATS } from '../arguments.ts'
import type { SnapshotChangeOptions } from '../branches/snapshot.ts'
import { addCommand, collect, type Exit, name, noSnapshot, workdir } from '../command-parts.ts'
import { examples, PROXY_NOTES, RUN_NOTES, SERVE_NOTES } from '../help.ts'
import type { ProxyOptions } from '../proxy.ts'
import type { DoctorOptions } from './doctor.ts'
import type { ListOptions } from './list.ts'
import type { LogsOptions } from './logs.ts'
import type { ResetOptions } from './reset.ts'
import type { RunOptions } from './run.ts'
import type { ServeOptions } from './serve.ts'
import type { StartOptions } from './start.ts'
import type { StatusOptions } from './status.ts'
import type { StopOptions } from './stop.ts'

/** The commands that start, show and stop backends.
 *  @param afterDash The command that `undock run` runs. */
export function addStackCommands(program: Command, exit: Exit, afterDash: readonly string[]): void {
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
    .action((options: RunOptions) => exit(import('./run.ts').then(({ run }) => run(options, afterDash))))

  addCommand(
    program,
    'serve',
    'serve a backend to its users, as one of several nodes before a database and a store of their own',
    [
      workdir(),
      new Option('--check', 'say what this node lacks, and end').default(false).conflicts('migrate'),
      new Option('--migrate', 'prepare the database, apply the migrations that it lacks, and end').default(false),
      new Option('--new-secrets <folder>', 'write secrets into a folder, print the variables that name them, and end'),
    ],
  )
    .addHelpText(
      'after',
      SERVE_NOTES + examples('undock serve --new-secrets secrets', 'undock serve --migrate', 'undock serve'),
    )
    .action((options: ServeOptions) => exit(import('./serve.ts').then(({ serve }) => serve(options))))

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

  addCommand(program, 'proxy', 'reach every running backend by a name, such as http://my-app.localhost:7777', [
    new Option('--port <port>', 'listen on this port').argParser(portNumber).default(7777),
  ])
    .addHelpText('after', PROXY_NOTES)
    .action((options: ProxyOptions) => exit(import('../proxy.ts').then(({ proxy }) => proxy(options))))

  addCommand(program, 'stop', 'stop the running backend; its data stays in supabase/.undock', [
    workdir(),
    name(),
    new Option('--all', 'stop every backend that `undock list` shows').default(false).conflicts(['workdir', 'name']),
    new Option('--timeout <seconds>', 'wait this long before the process is killed').argParser(seconds).default(20),
  ]).action((options: StopOptions) => exit(import('./stop.ts').then(({ stop }) => stop(options))))

  addCommand(program, 'reset', 'delete all data, then apply migrations and seed again', [
    workdir(),
    name(),
    noSnapshot(),
  ]).action((options: ResetOptions) => exit(import('./reset.ts').then(({ reset }) => reset(options))))

  addCommand(program, 'undo', 'go back to the data from before the last reset, import or restored snapshot', [
    workdir(),
    name(),
    new Option('--yes', 'do not ask').default(false),
  ]).action((options: SnapshotChangeOptions) => exit(import('../branches/undo.ts').then(({ undo }) => undo(options))))

  addCommand(program, 'logs', 'print what the services have logged, oldest first', [
    workdir(),
    name(),
    new Option('-f, --follow', 'continue printing what is logged from now on').default(false),
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
}

const ports = (value: 'config' | 'free') =>
  new Option('--ports <which>', 'listen on the ports of config.toml (with --name on its own), or on any that are free')
    .choices(['config', 'free'])
    .default(value)

function portNumber(value: string): number {
  const parsed = Number(value)
  if (!Number.isInteger(parsed) || parsed < 1 || parsed > 65_535)
    throw new InvalidArgumentError('It takes a number from 1 to 65535.')
  return parsed
}

function seconds(value: string): number {
  const parsed = Number(value)
  if (value.trim() === '' || !(parsed >= 0)) throw new InvalidArgumentError('It takes a number of seconds.')
  return parsed
}
