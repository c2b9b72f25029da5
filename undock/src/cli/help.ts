import type { Command, Option } from 'commander'

export const examples = (...lines: readonly string[]): string =>
  `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.map((line) => `  ${line}`).join('\n')}`

export const PROGRAM_NOTES = `${examples(
  "undock start                  the backend of this folder's project",
  'undock run -- npm test        a temporary backend for one command',
  'undock status -o env          URLs and keys as variables',
  'undock db diff --help         the options of one command',
)}

To complete commands with the Tab key, see undock completion --help.`

export const RUN_NOTES = `
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

Logs go to standard output, as one JSON object a line.
`

export const SUPABASE_NOTES = `
For package scripts and CI that call the Supabase CLI: the same flags, output formats and exit codes. start, stop, status,
db start, db reset, db diff, db dump, db pull, db schema declarative, migration squash, test db, gen types and functions serve
need no Docker; all other commands are passed on to the project's own Supabase CLI, which must be installed.
`

export const EXPLAIN_NOTES = `
Evaluates grants and policies for the caller and the rows, tries the command, and rolls everything back.
To explain a request of \`undock requests\` as things are now, give its id.
Tables and views: select, insert, update, delete. Stored files: download, upload, remove. Realtime topics: listen, send.
${examples(
  'undock explain --as anon select notes',
  'undock explain --as ada@example.org update notes --where \'id = 7\' --row \'{"title": "x"}\'',
  'undock explain --as ada@example.org upload avatars/ada.png',
  'undock explain --as anon listen room:1',
  'undock explain 3f2a91bc',
)}`

export const REQUESTS_NOTES = `
Requests are recorded in memory, up to a limit. Tokens, keys and passwords never are; bodies only with bodies = true under [timeline] in
supabase/undock.toml. Text parameters are printed as their length. To turn recording off, set enabled = false there.
${examples('undock requests --failed', 'undock requests --follow --slow 200ms', 'undock requests show 3f2a91bc')}`

export const REPLAY_NOTES = `
Sends the request to the running backend with a fresh token. To replay requests with a body, set bodies = true under [timeline] in
supabase/undock.toml before they are made; passwords, tokens and keys in bodies are never recorded. Custom headers are not
sent again.
${examples(
  'undock requests replay 3f2a91bc --as anon',
  'undock requests replay 3f2a91bc --as ada@example.org',
  'undock requests replay 3f2a91bc --secret password=correct-horse',
)}`

export const MCP_NOTES = `
The API's port serves the same tools at /mcp, with the query parameters read_only=true, snapshots=false and
features=database,undock. The first use on a machine fetches Supabase's MCP server.
`

export const IMPORT_NOTES = `
The source is read in one read-only transaction. The schema comes from the project's migrations. Rows are written in one
transaction with all rows that they refer to, including users; users' sessions and tokens are left out. With --anonymize, the command
prints which columns it replaces; to add or spare columns, list them as anonymize or keep under [import] in supabase/undock.toml.
To get the same fakes in the next import, set UNDOCK_IMPORT_KEY to at least 32 characters.
${examples(
  'undock import --db-url "$PRODUCTION_DB_URL" --sample 1% --anonymize',
  'undock import --db-url "$STAGING_DB_URL" --tables orders,customers --replace',
)}`

export const IMPORT_FILES_NOTES = `
Set UNDOCK_IMPORT_SECRET_KEY to a secret key of the other project, which is only read. First import the rows with \`undock import
--storage metadata\`. To resume, run the command again. Files are not anonymized.
${examples('undock import files --from https://abc.supabase.co --buckets avatars --max-size 10MB')}`

export const MOVE_FILES_NOTES = `
s3 is the store configured by UNDOCK_SERVE_S3_BUCKET, _ENDPOINT, _REGION, _PREFIX, _ACCESS_KEY_ID, _SECRET_ACCESS_KEY and
_FORCE_PATH_STYLE. Copies every file of storage.objects that the target lacks, then compares size and MD5 there.
Nothing is deleted. To resume, or to copy files uploaded in the meantime, run the command again; stop the backend before the last
run.
${examples('undock storage move --to s3', 'undock storage move --from s3 --to ./files --db-url "$DATABASE_URL"')}`

export const BRANCH_NOTES = `
A backend has one branch until you make another, so nothing changes before. A branch begins as a copy of another one. Migrations
are files, which branches do not change: apply what a branch lacks with \`undock migration up\`.

With branches = "git" in supabase/undock.toml, \`undock start\` works on the data of the branch that git has checked out, and
makes that from the nearest branch when it is new. A backend that runs keeps its data when git switches, and \`undock status\`
says so; \`undock branch switch\` without a name follows.
${examples('undock branch switch --create try-tags', 'undock branch diff main', 'undock branch delete try-tags')}`

export const SNAPSHOT_NOTES = examples(
  'undock snapshot save before-import',
  'undock snapshot restore before-import --yes',
)

export const UNDO_NOTES = `
A copy of all rows, users, files and emails is kept for a day before these commands delete or change them:
  undock           reset, import --replace, snapshot restore, migration up
  undock supabase  db reset, db push, migration up, migration down, stop --no-backup,
                   db schema declarative generate --reset and sync --apply
  /mcp             reset_database, and SQL that drops, deletes, truncates, alters or updates
The last five of each are kept, and 2 GB in all; --no-snapshot keeps none. What \`undo\` replaces is kept too: run it again to go back.
\`undock snapshot list\` lists the copies, and \`undock snapshot restore NAME\` goes further back.
`

export const DATABASE_NOTES = `
Without an address, the database is the one in SUPABASE_DB_URL (set by \`undock
run\`), else that of the running backend, else one in memory built from migrations
and seed. With --name, it is the database of that backend.
`

export const COMPLETION_NOTES = `
To complete commands and options with the Tab key in every new terminal:
  bash   echo 'source <(undock completion bash)' >> ~/.bashrc
  zsh    echo 'source <(undock completion zsh)' >> ~/.zshrc    (after compinit)
  fish   undock completion fish > ~/.config/fish/completions/undock.fish
undock must be in your PATH: npm install --global undock`

/** The description with the possible values and the default; a flag is off unless it is given. */
export function optionDescription({ description, argChoices, defaultValue }: Option): string {
  const hasDefault = typeof defaultValue === 'string' || typeof defaultValue === 'number'
  const notes = [argChoices?.join(', '), hasDefault && `default: ${defaultValue}`].filter(Boolean)
  return notes.length > 0 ? `${description} (${notes.join('; ')})` : description
}

/** Rewords the parser's errors as sentences, each with its suggestion on the same line. */
export const errorText = (text: string): string =>
  text
    .replace(/^error: unknown command '(.*?)'/, 'Unknown command "$1".')
    .replace(/^error: (.)/, (_match, first: string) => first.toUpperCase())
    .replace(/^Option '(.*?)' argument '(.*?)' is invalid\./, '"$2" is not a valid value for $1.')
    .replace(/^Option '(.*?)' argument missing/, 'Option $1 needs a value.')
    .replace(/\.?\n\((Did you mean .*\?)\)/, '. $1')

/** @returns for example "undock db diff". */
export const fullName = (command: Command): string =>
  command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()

export const MIGRATION_NOTES = `
\`undock status\` lists what is pending. Files are renamed, never rewritten. A snapshot has rows, users, files and emails; the snapshots of
the last five \`up\` are kept (see \`undock snapshot list\`). To write a migration, use \`undock db diff -f NAME\`.
${examples('undock migration up', 'undock migration fix', 'undock migration undo --yes')}`

export const TYPES_NOTES = `
The output is that of \`supabase gen types --lang typescript --local\`, byte for byte. A file that differs only because a formatter
changed it counts as up to date.
`

export const COMPARE_NOTES = `
Compares settings, kinds of keys, functions, names of secrets, extensions, buckets, row security, policies and migrations, but no values
of secrets. Set SUPABASE_ACCESS_TOKEN to an access token of your account.
`

export const PROXY_NOTES = `
A backend is named after its folder. A named backend's name comes first: http://review.my-app.localhost:7777. Put console. or mail. in
front to open its console or inbox. Backends that start or stop later are picked up, and keep their own ports.
`
