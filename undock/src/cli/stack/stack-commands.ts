import { type Command, InvalidArgumentError, Option } from 'commander'
import { SERVICES } from '../../runtime/stack/options.ts'
import { STATUS_FORMATS } from '../arguments.ts'
import {
  addCommand,
  backend,
  examples,
  flag,
  list,
  noSnapshot,
  outputFormat,
  portOption,
  type Run,
  sleepAfter,
  workdir,
  yes,
} from '../command-parts.ts'
import type { RunOptions } from './run.ts'

/** The commands that start, show and stop backends.
 *  @param afterDash The command that `undock run` runs. */
export function addStackCommands(program: Command, run: Run, afterDash: readonly string[]): void {
  addCommand(program, 'start', "start the project's backend, in the foreground or the background", [
    ...backend(),
    list(
      '-x, --exclude <services>',
      `services to leave out, separated by commas: ${SERVICES.join(', ')} (default: none)`,
    ),
    flag('--detach', 'run in the background until `undock stop`, and return when the backend is ready'),
    sleepAfter(),
    ports('config'),
    new Option(
      '--host <address>',
      'the address to listen on, such as 0.0.0.0 for other devices (default: from undock.toml)',
    ),
    flag('--https', 'serve the API over HTTPS, with a certificate generated for this project'),
    new Option('--db-url <url>', 'the Postgres server to use (default: from undock.toml, or its own)'),
  ])
    .addHelpText(
      'after',
      examples(
        'undock start --detach',
        'undock start --exclude storage,functions --ports free',
        'undock start --name review',
        'undock start --detach --sleep-after 10m',
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
      new Option('--workers <number>', 'processes that share the port (default: one per core, up to 4)').argParser(
        workerCount,
      ),
      new Option('--check', 'report what this node lacks, and exit').default(false).conflicts('migrate'),
      flag('--migrate', 'prepare the database, apply pending migrations, and exit'),
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
    ...backend(),
    new Option('-o, --output <format>', 'pretty for people, the others for scripts')
      .choices(STATUS_FORMATS)
      .default('pretty'),
    list('--override-name <key=name>', 'rename a variable of env and json; repeatable (default: none)'),
  ])
    .addHelpText(
      'after',
      examples('undock status -o env', 'undock status -o env --override-name api.url=NEXT_PUBLIC_SUPABASE_URL'),
    )
    .action(run(() => import('./status.ts').then(({ status }) => status)))

  addCommand(program, 'list', 'list the running and sleeping backends of all projects on this machine', [
    outputFormat(),
  ]).action(run(() => import('./list.ts').then(({ list }) => list)))

  addCommand(
    program,
    'proxy',
    'serve every backend by name and wake sleeping ones, such as http://my-app.localhost:7777',
    [portOption(7777)],
  )
    .addHelpText('after', PROXY_NOTES)
    .action(run(() => import('../proxy.ts').then(({ proxy }) => proxy)))

  addCommand(program, 'stop', 'stop the running backend, and keep its data in supabase/.undock', [
    ...backend(),
    new Option('--all', 'stop every backend that `undock list` shows').default(false).conflicts(['workdir', 'name']),
    new Option('--timeout <seconds>', 'how long to wait before killing the process').argParser(seconds).default(20),
  ]).action(run(() => import('./stop.ts').then(({ stop }) => stop)))

  addCommand(program, 'reset', 'delete all data, then apply migrations and seed again', [
    ...backend(),
    noSnapshot(),
  ]).action(run(() => import('./reset.ts').then(({ reset }) => reset)))

  addCommand(program, 'undo', 'go back to the data from before the last command that deleted or changed it', [
    ...backend(),
    yes(),
  ])
    .addHelpText('after', UNDO_NOTES)
    .action(run(() => import('../branches/undo.ts').then(({ undo }) => undo)))

  addCommand(program, 'logs', "print the services' logs, oldest first", [
    ...backend(),
    flag('-f, --follow', 'keep printing new lines'),
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

function seconds(value: string): number {
  const parsed = Number(value)
  if (value.trim() === '' || !(parsed >= 0)) throw new InvalidArgumentError('Enter a number of seconds.')
  return parsed
}

function workerCount(value: string): number {
  if (/^[1-9]\d{0,2}$/.test(value)) return Number(value)
  throw new InvalidArgumentError('Enter a number from 1 to 999.')
}

const RUN_NOTES = `
Starts an empty backend, applies migrations and seed, and deletes it at the end.
The command's environment has SUPABASE_URL, SUPABASE_PUBLISHABLE_KEY,
SUPABASE_SECRET_KEY, SUPABASE_DB_URL and more. undock exits with the command's
exit code.
`

export const SERVE_NOTES = `
Nodes are stateless: start as many as you need behind a load balancer. A node reads the project from supabase/, and everything else
from the environment. To read a value from a file, append _FILE to the name of its variable (UNDOCK_DATABASE_URL_FILE):

  UNDOCK_DATABASE_URL         the PostgreSQL server (15 or newer)
  UNDOCK_SERVE_POOLER_URL     a pooler in front of it, in transaction mode (PgBouncer 1.21 or newer)
  UNDOCK_SERVE_REPLICA_URL    a streaming replica, for reads of the Data API that it has caught up with
  UNDOCK_SERVE_BUS            how nodes exchange messages: postgres (through the database), or the URL of a NATS server
  UNDOCK_SERVE_S3_*           ENDPOINT, REGION, BUCKET, PREFIX, ACCESS_KEY_ID, SECRET_ACCESS_KEY, FORCE_PATH_STYLE: the S3 store for files
  UNDOCK_HOST, UNDOCK_SERVE_PORT, UNDOCK_SERVE_ADMIN_PORT
                              the address and ports to listen on: 127.0.0.1, 8000 for clients, 9000 for /health, /ready and /metrics
  UNDOCK_SERVE_WORKERS        as --workers
  UNDOCK_SERVE_FUNCTIONS_ENDPOINT
                              the server that runs edge functions (default: each node runs them)
  OTEL_EXPORTER_OTLP_ENDPOINT an OpenTelemetry collector, for a trace of each request
  UNDOCK_SERVE_TRUSTED_PROXIES  load balancers whose X-Forwarded-For is trusted
  UNDOCK_SERVE_DRAIN_DELAY, UNDOCK_SERVE_DRAIN_LIMIT
                              seconds after SIGTERM until connections are closed (5), and until the rest are cut off (30)
  SUPABASE_API_EXTERNAL_URL   the URL of the load balancer
  SUPABASE_AUTH_JWT_SECRET, _PUBLISHABLE_KEY, _SECRET_KEY, _SIGNING_KEYS_PATH
                              the secrets; the defaults of a local project are refused
  UNDOCK_SERVE_S3_PROTOCOL_ACCESS_KEY, _SECRET_KEY
                              the keys of the S3 protocol, which is off by default

Logs go to standard output, as one JSON object a line. SIGUSR2 replaces the workers one after another, with the project and the secrets
as they are then, without losing a request.
`

const UNDO_NOTES = `
A copy of all rows, users, files and emails is kept for a day before these commands delete or change them:
  undock           reset, import --replace, snapshot restore, fork keep, branch delete, migration up
  undock supabase  db reset, db push, migration up, migration down, stop --no-backup, storage rm,
                   db schema declarative generate --reset and sync --apply,
                   db query with SQL that drops or truncates, or deletes or updates without WHERE
  console          the same SQL in the editor
  /mcp             reset_database, and SQL that drops, deletes, truncates, alters or updates
The last five of each are kept, and 2 GB in all; --no-snapshot keeps none. What \`undo\` replaces is kept too: run it again to go back.
\`undock snapshot list\` lists the copies, and \`undock snapshot restore NAME\` goes further back.
`

const PROXY_NOTES = `
A backend is named after its folder. A named backend's name comes first: http://review.my-app.localhost:7777. Put console. or mail. in
front to open its console or inbox. Backends that start or stop later are picked up, and keep their own ports.

A request, a WebSocket or a connection to the database wakes a backend that sleeps (\`undock start --sleep-after 10m\`), and waits
for it; so does a due job of pg_cron. The database is at the same port, with the name in the user:
  psql postgresql://postgres.my-app:postgres@localhost:7777/postgres
`
