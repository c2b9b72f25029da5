import { type Command, InvalidArgumentError, Option } from 'commander'
import { SERVICES } from '../../runtime/stack/options.ts'
import { STATUS_FORMATS } from '../arguments.ts'
import { addCommand, collect, name, noSnapshot, type Run, workdir } from '../command-parts.ts'
import { examples, PROXY_NOTES, RUN_NOTES, SERVE_NOTES, UNDO_NOTES } from '../help.ts'
import type { RunOptions } from './run.ts'

/** The commands that start, show and stop backends.
 *  @param afterDash The command that `undock run` runs. */
export function addStackCommands(program: Command, run: Run, afterDash: readonly string[]): void {
  addCommand(program, 'start', "start the project's backend, in the foreground or the background", [
    workdir(),
    name(),
    new Option(
      '-x, --exclude <services>',
      `services to leave out, separated by commas: ${SERVICES.join(', ')} (default: none)`,
    )
      .argParser(collect)
      .default([]),
    new Option('--detach', 'run in the background until `undock stop`, and return when the backend is ready').default(
      false,
    ),
    ports('config'),
    new Option(
      '--host <address>',
      'the address to listen on, such as 0.0.0.0 for other devices (default: from undock.toml)',
    ),
    new Option('--https', 'serve the API over HTTPS, with a certificate generated for this project').default(false),
    new Option('--db-url <url>', 'the Postgres server to use (default: from undock.toml, or its own)'),
  ])
    .addHelpText(
      'after',
      examples(
        'undock start --detach',
        'undock start --exclude storage,functions --ports free',
        'undock start --name review',
      ),
    )
    .action(run(() => import('./start.ts').then(({ start }) => start)))

  addCommand(program, 'run', 'run a command with a temporary backend in memory', [workdir(), ports('free')])
    .usage('[options] -- <command...>')
    .showHelpAfterError('Put -- before the command: undock run -- npm test\nSee `undock run --help`.')
    .addHelpText('after', RUN_NOTES + examples('undock run -- npm test', 'undock run -- undock db test'))
    .action(run(() => import('./run.ts').then((it) => (options: RunOptions) => it.run(options, afterDash))))

  addCommand(
    program,
    'serve',
    'serve a backend to its users, as one of several nodes that share a database and a file store',
    [
      workdir(),
      new Option('--check', 'report what this node lacks, and exit').default(false).conflicts('migrate'),
      new Option('--migrate', 'prepare the database, apply pending migrations, and exit').default(false),
      new Option(
        '--new-secrets <folder>',
        'write new secrets to a folder, print the variables that point to them, and exit',
      ),
    ],
  )
    .addHelpText(
      'after',
      SERVE_NOTES + examples('undock serve --new-secrets secrets', 'undock serve --migrate', 'undock serve'),
    )
    .action(run(() => import('./serve.ts').then(({ serve }) => serve)))

  addCommand(program, 'status', 'print the URLs and keys of the running backend', [
    workdir(),
    name(),
    new Option('-o, --output <format>', 'pretty for people, the others for scripts')
      .choices(STATUS_FORMATS)
      .default('pretty'),
    new Option('--override-name <key=name>', 'rename a variable of env and json; repeatable (default: none)')
      .argParser(collect)
      .default([]),
  ])
    .addHelpText(
      'after',
      examples('undock status -o env', 'undock status -o env --override-name api.url=NEXT_PUBLIC_SUPABASE_URL'),
    )
    .action(run(() => import('./status.ts').then(({ status }) => status)))

  addCommand(program, 'list', 'list the running backends of all projects on this machine', [
    new Option('-o, --output <format>', 'pretty for people, json for scripts')
      .choices(['pretty', 'json'])
      .default('pretty'),
  ]).action(run(() => import('./list.ts').then(({ list }) => list)))

  addCommand(program, 'proxy', 'serve every running backend by name, such as http://my-app.localhost:7777', [
    new Option('--port <port>', 'the port to listen on').argParser(portNumber).default(7777),
  ])
    .addHelpText('after', PROXY_NOTES)
    .action(run(() => import('../proxy.ts').then(({ proxy }) => proxy)))

  addCommand(program, 'stop', 'stop the running backend, and keep its data in supabase/.undock', [
    workdir(),
    name(),
    new Option('--all', 'stop every backend that `undock list` shows').default(false).conflicts(['workdir', 'name']),
    new Option('--timeout <seconds>', 'how long to wait before killing the process').argParser(seconds).default(20),
  ]).action(run(() => import('./stop.ts').then(({ stop }) => stop)))

  addCommand(program, 'reset', 'delete all data, then apply migrations and seed again', [
    workdir(),
    name(),
    noSnapshot(),
  ]).action(run(() => import('./reset.ts').then(({ reset }) => reset)))

  addCommand(program, 'undo', 'go back to the data from before the last command that deleted or changed it', [
    workdir(),
    name(),
    new Option('--yes', 'do not ask').default(false),
  ])
    .addHelpText('after', UNDO_NOTES)
    .action(run(() => import('../branches/undo.ts').then(({ undo }) => undo)))

  addCommand(program, 'logs', "print the services' logs, oldest first", [
    workdir(),
    name(),
    new Option('-f, --follow', 'keep printing new lines').default(false),
  ])
    .argument('[service]', 'only this service (default: all)')
    .addHelpText('after', examples('undock logs functions --follow'))
    .action(run(() => import('./logs.ts').then(({ logs }) => logs)))

  addCommand(program, 'doctor', 'check for problems on this machine, and for what would fail on a hosted project', [
    workdir(),
    // It always does.
    new Option('--ci', 'exit with code 1 if a problem is found').hideHelp(),
  ]).action(run(() => import('./doctor.ts').then(({ doctor }) => doctor)))
}

const ports = (value: 'config' | 'free') =>
  new Option('--ports <which>', 'use the ports of config.toml (a named backend has its own), or any free ports')
    .choices(['config', 'free'])
    .default(value)

function portNumber(value: string): number {
  const parsed = Number(value)
  if (!Number.isInteger(parsed) || parsed < 1 || parsed > 65_535)
    throw new InvalidArgumentError('Enter a number from 1 to 65535.')
  return parsed
}

function seconds(value: string): number {
  const parsed = Number(value)
  if (value.trim() === '' || !(parsed >= 0)) throw new InvalidArgumentError('Enter a number of seconds.')
  return parsed
}
