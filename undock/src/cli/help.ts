import type { Command, Option } from 'commander'

export const examples = (...lines: readonly string[]): string =>
  `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.map((line) => `  ${line}`).join('\n')}`

export const PROGRAM_NOTES = `${examples(
  'undock start                  the backend of the project in this folder',
  'undock run -- npm test        a backend for one command, gone afterwards',
  'undock status -o env          URLs and keys for programs',
  'undock db diff --help         all options of one command',
)}

undock completion --help tells how to complete commands with the Tab key.`

export const RUN_NOTES = `
The backend is fresh: migrations and seed are applied, nothing is kept.
The command finds it by SUPABASE_URL, SUPABASE_PUBLISHABLE_KEY,
SUPABASE_SECRET_KEY, SUPABASE_DB_URL and the like. undock exits with the exit
code of the command.
`

export const SERVE_NOTES = `
A node keeps nothing itself: start as many as needed behind a balancer. The project's files are read from supabase/, what belongs to the
place from the environment; each variable may name a file instead (UNDOCK_DATABASE_URL_FILE):

  UNDOCK_DATABASE_URL         the PostgreSQL server (15 or newer)
  UNDOCK_SERVE_POOLER_URL     a pooler before it, in transaction mode (PgBouncer 1.21 or newer)
  UNDOCK_SERVE_REPLICA_URL    a streaming replica, for reads of the Data API that it has everything for
  UNDOCK_SERVE_BUS            what carries messages to other nodes: postgres (the database), or the URL of a NATS server
  UNDOCK_SERVE_S3_*           ENDPOINT, REGION, BUCKET, PREFIX, ACCESS_KEY_ID, SECRET_ACCESS_KEY, FORCE_PATH_STYLE: the store for files
  UNDOCK_HOST, UNDOCK_SERVE_PORT, UNDOCK_SERVE_ADMIN_PORT
                              where it listens: 127.0.0.1, 8000 for clients, 9000 for /health, /ready and /metrics
  UNDOCK_SERVE_FUNCTIONS_ENDPOINT
                              where edge functions run; without it, each node runs them itself
  OTEL_EXPORTER_OTLP_ENDPOINT a collector of OpenTelemetry that gets each request with what it caused
  UNDOCK_SERVE_TRUSTED_PROXIES  balancers whose X-Forwarded-For counts
  UNDOCK_SERVE_DRAIN_DELAY, UNDOCK_SERVE_DRAIN_LIMIT
                              seconds after SIGTERM until connections end (5), and until the rest is cut off (30)
  SUPABASE_API_EXTERNAL_URL   the address of the balancer
  SUPABASE_AUTH_JWT_SECRET, _PUBLISHABLE_KEY, _SECRET_KEY, _SIGNING_KEYS_PATH
                              the secrets; those of a local project are refused
  UNDOCK_SERVE_S3_PROTOCOL_ACCESS_KEY, _SECRET_KEY
                              the keys of the S3 protocol, which is off without them

The log is a line of JSON each on standard output.
`

export const SUPABASE_NOTES = `
For package scripts and CI that call the Supabase CLI: the same flags, output formats and exit codes. start, stop, status,
db start, db reset, db diff, db dump, db pull, db schema declarative, migration squash, test db, gen types and functions serve
need no Docker engine here; all other commands are passed on to the Supabase CLI of the project, which must be installed.
`

export const EXPLAIN_NOTES = `
Grants and each policy are evaluated for this caller and these rows, and the command is tried. All of it is rolled back.
A request of \`undock requests\` is explained by its id, as things are now.
For tables and views: select, insert, update, delete. For stored files: download, upload, remove. For topics: listen, send.
${examples(
  'undock explain --as anon select notes',
  'undock explain --as ada@example.org update notes --where \'id = 7\' --row \'{"title": "x"}\'',
  'undock explain --as ada@example.org upload avatars/ada.png',
  'undock explain --as anon listen room:1',
  'undock explain 3f2a91bc',
)}`

export const REQUESTS_NOTES = `
Kept in memory, with limits; tokens, keys and passwords are never kept, bodies only with bodies = true under [timeline] in
supabase/undock.toml. Parameters that hold text are printed as their length. enabled = false there turns all of it off.
${examples('undock requests --failed', 'undock requests --follow --slow 200ms', 'undock requests show 3f2a91bc')}`

export const REPLAY_NOTES = `
The request goes to the running backend again, with a fresh token. A request with a body needs bodies = true under [timeline] in
supabase/undock.toml, from before it happened; passwords, tokens and keys in bodies are never kept. Headers of your own are not
sent again.
${examples(
  'undock requests replay 3f2a91bc --as anon',
  'undock requests replay 3f2a91bc --as ada@example.org',
  'undock requests replay 3f2a91bc --secret password=correct-horse',
)}`

export const MCP_NOTES = `
The same tools answer at /mcp on the API's port, where the query takes read_only=true and features=database,undock. The first
use on a machine fetches the MCP server of Supabase.
`

export const IMPORT_NOTES = `
The source is read in one transaction that can only read. Structure comes from the project's migrations. Rows arrive in one
transaction with all rows that they refer to, users too; sessions and tokens of users never do. With --anonymize, the command
prints which columns it replaces; [import] in supabase/undock.toml names more (anonymize) or fewer (keep).
UNDOCK_IMPORT_KEY, a text of at least 32 characters, makes the same fakes in the next import.
${examples(
  'undock import --db-url "$PRODUCTION_DB_URL" --sample 1% --anonymize',
  'undock import --db-url "$STAGING_DB_URL" --tables orders,customers --replace',
)}`

export const IMPORT_FILES_NOTES = `
UNDOCK_IMPORT_SECRET_KEY holds a secret key of the other project, which is only read. \`undock import --storage metadata\` brings the
rows first. Another run continues where one ended. Files are not anonymized.
${examples('undock import files --from https://abc.supabase.co --buckets avatars --max-size 10MB')}`

export const MOVE_FILES_NOTES = `
s3 is the store that UNDOCK_SERVE_S3_BUCKET, _ENDPOINT, _REGION, _PREFIX, _ACCESS_KEY_ID, _SECRET_ACCESS_KEY and _FORCE_PATH_STYLE
name. Every row of storage.objects is read; what is missing at the new place is copied; then size and MD5 are compared there.
Nothing is deleted, and another run continues where one ended. Files that arrive meanwhile are found by another run: the last one
needs a backend that is stopped.
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

export const DATABASE_NOTES = `
Without another address, the database is the one that SUPABASE_DB_URL names (set
by \`undock run\`), else that of the running backend, else one in memory made from
migrations and seed. With --name it is that of the backend of this name.
`

export const COMPLETION_NOTES = `
To complete commands and options with the Tab key in every new terminal:
  bash   echo 'source <(undock completion bash)' >> ~/.bashrc
  zsh    echo 'source <(undock completion zsh)' >> ~/.zshrc    (after compinit)
  fish   undock completion fish > ~/.config/fish/completions/undock.fish
The shell has to find undock in its PATH: npm install --global undock`

/** The description with the possible values and the default; a flag is off unless it is given. */
export function optionDescription({ description, argChoices, defaultValue }: Option): string {
  const hasDefault = typeof defaultValue === 'string' || typeof defaultValue === 'number'
  const notes = [argChoices?.join(', '), hasDefault && `default: ${defaultValue}`].filter(Boolean)
  return notes.length > 0 ? `${description} (${notes.join('; ')})` : description
}

/** Rewords the parser's errors as sentences, each with its suggestion on the same line. */
export const errorText = (text: string): string =>
  text
    .replace(/^error: unknown command '(.*?)'/, 'There is no command "$1".')
    .replace(/^error: (.)/, (_match, first: string) => first.toUpperCase())
    .replace(/^Option '(.*?)' argument '(.*?)' is invalid\./, '"$2" is not a valid value for $1.')
    .replace(/^Option '(.*?)' argument missing/, 'The option $1 needs a value.')
    .replace(/\.?\n\((Did you mean .*\?)\)/, '. $1')

/** @returns Such as "undock db diff". */
export const fullName = (command: Command): string =>
  command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()

export const MIGRATION_NOTES = `
\`undock status\` names what is to be done. Files are renamed, never rewritten. A snapshot holds rows, users, files and mails; those of the
last three \`up\` are kept, and \`undock snapshot list\` shows them. New files: \`undock db diff -f NAME\`.
${examples('undock migration up', 'undock migration fix', 'undock migration undo --yes')}`

export const TYPES_NOTES = `
What is printed has the very bytes of \`supabase gen types --lang typescript --local\`, which leaves the layout to a formatter: a
file that a formatter has changed counts as the same.
`

export const COMPARE_NOTES = `
Settings, kinds of keys, functions, names of secrets, extensions, buckets, row security, policies and migrations are compared, values of
secrets never. SUPABASE_ACCESS_TOKEN holds an access token of your account.
`

export const PROXY_NOTES = `
A backend has the name of its folder, a further one its own before that: http://review.my-app.localhost:7777. console. and mail. before a
name lead to its console and its inbox. Backends that start and stop later are found, too; their own ports stay.
`
