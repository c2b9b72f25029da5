import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseSize } from '../../config/units.ts'
import type { Sample } from '../../project-tools/import/import-data.ts'
import { ADVISOR_LEVELS, ADVISOR_TYPES, type BackendOptions, FAILING_LEVELS } from '../arguments.ts'
import {
  addCommand,
  addGroup,
  backend,
  examples,
  flag,
  list,
  noSnapshot,
  outputFormat,
  type Run,
  schema,
  yes,
} from '../command-parts.ts'

/** The commands that work on the database as a whole: `undock db …`, `migration …`, `types`, `psql`, `advisors` and `import …`.
 *  @param others The arguments of psql. */
export function addDatabaseCommands(program: Command, run: Run, others: readonly string[]): void {
  const imports = addCommand(
    program,
    'import',
    "copy rows from another database, such as a hosted project's, into the local one",
    [
      ...backend(),
      new Option('--db-url <url>', 'the database to read from (default: UNDOCK_IMPORT_DB_URL)'),
      list(
        '--tables <names>',
        'only these tables, separated by commas, and the rows that they refer to (default: all tables of the project, and users)',
      ),
      list('-x, --exclude <tables>', 'tables to leave out, separated by commas (default: none)'),
      new Option(
        '--sample <share>',
        'how much of each table to copy, such as 1% or 1000 rows, plus the rows that they refer to',
      ).argParser(sampleSize),
      flag('--anonymize', 'replace personal data with fakes, and leave out passwords and MFA factors'),
      new Option(
        '--storage <what>',
        'metadata also imports buckets and the rows of files; `undock import files` downloads the files',
      )
        .choices(['none', 'metadata'])
        .default('none'),
      flag('--replace', 'empty the tables first (default: they must be empty)'),
      flag('--yes', 'skip the confirmation prompt'),
      noSnapshot(),
    ],
  )
    .addHelpText('after', IMPORT_NOTES)
    .action(run(() => import('./import.ts').then(({ importRows }) => importRows)))
  addCommand(imports, 'files', 'download the missing files of imported objects', [
    new Option('--from <url>', "the URL of the other project's API").makeOptionMandatory(),
    list('--buckets <names>', 'only these buckets, separated by commas (default: all)'),
    new Option('--max-size <size>', 'only files up to this size, such as 10MB (default: all)').argParser(fileSize),
  ])
    .addHelpText('after', IMPORT_FILES_NOTES)
    .action(run(() => import('./import-files.ts').then(({ importFiles }) => importFiles)))

  addCommand(
    addGroup(program, 'storage', 'move files of Storage'),
    'move',
    'copy all files from a folder to S3 or back, and verify each',
    [
      ...backend(),
      new Option('--from <place>', "a folder, or s3 (default: the backend's own folder)"),
      new Option('--to <place>', 'a folder, or s3').makeOptionMandatory(),
      new Option('--db-url <url>', "the database that lists the files (default: the backend's own)"),
    ],
  )
    .addHelpText('after', MOVE_FILES_NOTES)
    .action(run(() => import('./move-files.ts').then(({ moveFiles }) => moveFiles)))

  addCommand(program, 'advisors', 'report common problems with security and performance', [
    ...backend(),
    new Option('--type <which>', 'which problems to report').choices(ADVISOR_TYPES).default('all'),
    new Option('--level <level>', 'the lowest level to report').choices(ADVISOR_LEVELS).default('warn'),
    new Option('--fail-on <level>', 'exit with code 1 if a problem of this level or higher is reported')
      .choices(FAILING_LEVELS)
      .default('none'),
    dbUrl(),
    outputFormat(),
  ])
    .addHelpText('after', DATABASE_NOTES + examples('undock advisors --type security --fail-on error'))
    .action(run(() => import('./advisors.ts').then(({ advisors }) => advisors)))

  addCommand(program, 'types', 'print TypeScript types of the database, or write them to a file', [
    ...backend(),
    new Option('-f, --file <path>', 'write to this file, unless only its formatting differs (default: print)'),
    flag('--watch', 'write the file whenever the schema of the running backend changes'),
    flag('--check', 'write nothing; exit with code 1 if the file is out of date'),
    new Option('--format <command>', 'run this command on the file after writing it'),
    list('-s, --schema <names>', 'schemas to include, separated by commas (default: public and the exposed ones)'),
    dbUrl(),
  ])
    .addHelpText(
      'after',
      TYPES_NOTES +
        DATABASE_NOTES +
        examples(
          'undock types --file src/database.types.ts --watch --format "npx prettier --write"',
          'undock types --file src/database.types.ts --check',
        ),
    )
    .action(run(() => import('./types.ts').then(({ types }) => types)))

  addCommand(program, 'psql', 'open psql on the database, with any arguments of psql', [...backend()])
    .usage('[options] [psql arguments…]')
    .addHelpText('after', DATABASE_NOTES + examples('undock psql', "undock psql -c 'select count(*) from notes'"))
    .action(
      run(() =>
        import('./psql.ts').then(
          ({ psql }) =>
            (options: BackendOptions) =>
              psql(options, others),
        ),
      ),
    )

  const db = addGroup(program, 'db', 'test, compare and dump the database')
  addCommand(db, 'test', 'run the pgTAP tests in supabase/tests', [...backend()])
    .argument(
      '[files...]',
      'files, folders or patterns, relative to this folder or to supabase/ (default: supabase/tests)',
    )
    .addHelpText('after', DATABASE_NOTES + examples('undock db test', 'undock db test tests/policies.sql'))
    .action(run(() => import('./test.ts').then(({ dbTest }) => dbTest)))
  addCommand(db, 'diff', 'print schema changes that are in no migration, as SQL', [
    ...backend(),
    new Option('-f, --file <name>', 'write a migration with this name (default: print)'),
    list(
      '--rename <old=new>',
      'treat a dropped and an added object, such as a column, as renamed; repeatable (default: ask)',
    ),
    schema(),
    dbUrl(),
    ...cliOptions('--local', '--use-pg-delta'),
  ])
    .addHelpText(
      'after',
      DATABASE_NOTES +
        examples('undock db diff -f add_notes', 'undock db diff --rename public.notes.body=public.notes.text'),
    )
    .action(run(() => import('./diff.ts').then(({ dbDiff }) => dbDiff)))
  addCommand(db, 'dump', 'print the schema, rows or roles of the database as SQL', [
    ...backend(),
    flag('--data-only', 'dump the rows (default: the schema)'),
    flag('--role-only', 'dump the roles (default: the schema)'),
    schema(),
    list('-x, --exclude <tables>', 'tables to leave out with --data-only, separated by commas (default: none)'),
    flag('--keep-comments', 'keep the comments of pg_dump'),
    new Option('-f, --file <path>', 'write to this file (default: print)'),
    dbUrl(),
    ...cliOptions('--local', '--use-copy'),
  ])
    .addHelpText('after', DATABASE_NOTES + examples('undock db dump --data-only -f supabase/seed.sql'))
    .action(run(() => import('./dump.ts').then(({ dbDump }) => dbDump)))

  const migration = addGroup(program, 'migration', 'apply migrations, fix their order, or go back')
  migration.addHelpText('after', MIGRATION_NOTES)
  addCommand(migration, 'up', 'take a snapshot of the data, then apply pending migrations', [
    ...backend(),
    flag('--include-all', 'also apply migrations that come before an applied one'),
    noSnapshot(),
  ]).action(run(() => import('./migration.ts').then(({ migrationUp }) => migrationUp)))
  addCommand(migration, 'fix', 'rename migrations that share a version or are out of order', [...backend()]).action(
    run(() => import('./migration.ts').then(({ migrationFix }) => migrationFix)),
  )
  addCommand(migration, 'undo', 'go back to the data from before the last `undock migration up`', [
    ...backend(),
    yes(),
  ]).action(run(() => import('./migration.ts').then(({ migrationUndo }) => migrationUndo)))
}

const dbUrl = () => new Option('--db-url <url>', 'the database to use (default: see below)')
/** Options of the Supabase CLI that are accepted, or refused with a reason, and not listed in the help. */
const cliOptions = (...flags: readonly string[]) => flags.map((flag) => new Option(flag).default(false).hideHelp())

function sampleSize(value: string): Sample {
  const [, number = '', unit] = /^(\d+(?:\.\d+)?)(%?)$/.exec(value) ?? []
  const size = Number(number)
  if (unit === '%' && size > 0 && size <= 100) return { percent: size }
  if (unit === '' && Number.isSafeInteger(size) && size > 0) return { rows: size }
  throw new InvalidArgumentError('Enter a share of the rows, such as 1%, or a number of rows, such as 1000.')
}

function fileSize(value: string): number {
  const bytes = parseSize(value)
  if (bytes === undefined) throw new InvalidArgumentError('Enter a size, such as 500KB or 10MB.')
  return bytes
}

const IMPORT_NOTES = `
The source is read in one read-only transaction. The schema comes from the project's migrations. Rows are written in one
transaction with all rows that they refer to, including users; users' sessions and tokens are left out. With --anonymize, the command
prints which columns it replaces; to add or spare columns, list them as anonymize or keep under [import] in supabase/undock.toml.
To get the same fakes in the next import, set UNDOCK_IMPORT_KEY to at least 32 characters.
${examples(
  'undock import --db-url "$PRODUCTION_DB_URL" --sample 1% --anonymize',
  'undock import --db-url "$STAGING_DB_URL" --tables orders,customers --replace',
)}`

const IMPORT_FILES_NOTES = `
Set UNDOCK_IMPORT_SECRET_KEY to a secret key of the other project, which is only read. First import the rows with \`undock import
--storage metadata\`. To resume, run the command again. Files are not anonymized.
${examples('undock import files --from https://abc.supabase.co --buckets avatars --max-size 10MB')}`

//abc.supabase.co --buckets avatars --max-size 10MB')}`

const MOVE_FILES_NOTES = `
s3 is the store configured by UNDOCK_SERVE_S3_BUCKET, _ENDPOINT, _REGION, _PREFIX, _ACCESS_KEY_ID, _SECRET_ACCESS_KEY and
_FORCE_PATH_STYLE. Copies every file of storage.objects that the target lacks, then compares size and MD5 there.
Nothing is deleted. To resume, or to copy files uploaded in the meantime, run the command again; stop the backend before the last
run.
${examples('undock storage move --to s3', 'undock storage move --from s3 --to ./files --db-url "$DATABASE_URL"')}`

const DATABASE_NOTES = `
Without an address, the database is the one in SUPABASE_DB_URL (set by \`undock
run\`), else that of the running backend, else one in memory built from migrations
and seed. With --name, it is the database of that backend.
`

const MIGRATION_NOTES = `
\`undock status\` lists what is pending. Files are renamed, never rewritten. A snapshot has rows, users, files and emails; the snapshots of
the last five \`up\` are kept (see \`undock snapshot list\`). To write a migration, use \`undock db diff -f NAME\`.
${examples('undock migration up', 'undock migration fix', 'undock migration undo --yes')}`

const TYPES_NOTES = `
The output is that of \`supabase gen types --lang typescript --local\`, byte for byte. A file that differs only because a formatter
changed it counts as up to date.
`
