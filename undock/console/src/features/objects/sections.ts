import { queryOptions } from '@tanstack/react-query'
import { readJson } from '../../lib/api.ts'
import { catalogKey } from '../catalog.ts'
import * as catalog from './catalog-sql.ts'
import * as tools from './tools-sql.ts'

/** A database object for a list. @property facts Values by column name. @property definition Shown when its line is expanded.
 *  @property change SQL to edit and run. @property drop SQL that removes it. @property create SQL that adds it if missing. Each is null if it doesn't
 *  apply or the project's owner can't run it. */
export type DatabaseObject = {
  readonly id: string
  readonly schema: string | null
  readonly name: string
  readonly comment: string | null
  readonly facts: Readonly<Record<string, string | null>>
  readonly definition: string | null
  readonly change: string | null
  readonly drop: string | null
  readonly create: string | null
}

/** @property noun In the singular. @property columns The facts shown in a line. @property sql Selects objects as JSON. @property extension
 *  Required. @property about Shown if there are none. @property template The SQL of a new one. */
export type Section = {
  readonly id: string
  readonly name: string
  readonly noun: string
  readonly columns: readonly string[]
  readonly sql: string
  readonly hasSchemas: boolean
  readonly extension: string | null
  readonly about: string
  readonly template: string | null
}

const ofSchemas = { hasSchemas: true, extension: null } as const
const ofDatabase = { hasSchemas: false, extension: null } as const

export const SECTIONS: readonly Section[] = [
  {
    ...ofSchemas,
    id: 'functions',
    name: 'Functions',
    noun: 'function',
    columns: ['Returns', 'Language', 'Volatility', 'Security'],
    sql: catalog.FUNCTIONS,
    about: 'A function of an exposed schema is called with supabase.rpc().',
    template: `create function public.greet(name text) returns text
language sql stable
set search_path = ''
as $$
  select 'Hello ' || name
$$;`,
  },
  {
    ...ofSchemas,
    id: 'triggers',
    name: 'Triggers',
    noun: 'trigger',
    columns: ['Table', 'When', 'Function', 'State'],
    sql: catalog.TRIGGERS,
    about: 'A trigger runs a function when rows of a table change.',
    template: `create trigger set_updated_at
before update on public.my_table
for each row execute function public.set_updated_at();`,
  },
  {
    ...ofSchemas,
    id: 'types',
    name: 'Types',
    noun: 'type',
    columns: ['Kind', 'Values'],
    sql: catalog.TYPES,
    about: 'An enumerated type allows a fixed list of values.',
    template: `create type public.status as enum ('draft', 'published');`,
  },
  {
    ...ofSchemas,
    id: 'indexes',
    name: 'Indexes',
    noun: 'index',
    columns: ['Table', 'Kind', 'Size', 'Scans'],
    sql: catalog.INDEXES,
    about: 'An index makes queries fast that filter or sort by its columns.',
    template: 'create index on public.my_table (my_column);',
  },
  {
    ...ofDatabase,
    id: 'extensions',
    name: 'Extensions',
    noun: 'extension',
    columns: ['State', 'Version', 'Schema'],
    sql: catalog.EXTENSIONS,
    about: 'Extensions add types and functions to Postgres.',
    template: null,
  },
  {
    ...ofDatabase,
    id: 'publications',
    name: 'Publications',
    noun: 'publication',
    columns: ['Tables', 'Events'],
    sql: catalog.PUBLICATIONS,
    about: 'Realtime sends the changes of the tables in supabase_realtime.',
    template: 'alter publication supabase_realtime add table public.my_table;',
  },
  {
    ...ofDatabase,
    id: 'roles',
    name: 'Roles',
    noun: 'role',
    columns: ['Rights', 'Member of', 'Sessions'],
    sql: catalog.ROLES,
    about: 'Roles own objects and have privileges on them.',
    template: 'create role my_role nologin;\ngrant my_role to authenticator;',
  },
  {
    ...ofDatabase,
    id: 'cron',
    name: 'Cron jobs',
    noun: 'job',
    columns: ['Schedule', 'Command', 'State', 'Last run'],
    sql: tools.JOBS,
    extension: 'pg_cron',
    about: 'A job runs SQL at its times, in GMT.',
    template: `select cron.schedule('every-five-minutes', '*/5 * * * *', $$
  select 1
$$);`,
  },
  {
    ...ofDatabase,
    id: 'queues',
    name: 'Queues',
    noun: 'queue',
    columns: ['Messages', 'Oldest', 'Sent in total'],
    sql: tools.QUEUES,
    extension: 'pgmq',
    about: 'A queue keeps messages until a worker has read and deleted them.',
    template: "select pgmq.create('my_queue');",
  },
  {
    ...ofDatabase,
    id: 'vault',
    name: 'Vault',
    noun: 'secret',
    columns: ['Description', 'Updated'],
    sql: tools.SECRETS,
    extension: 'supabase_vault',
    about: 'Secrets are kept encrypted, for functions of the database.',
    template: null,
  },
  {
    ...ofDatabase,
    id: 'webhooks',
    name: 'Webhooks',
    noun: 'webhook',
    columns: ['Table', 'When', 'Method', 'Address'],
    sql: tools.WEBHOOKS,
    about: 'A webhook sends each change of a table to an address.',
    template: `create trigger my_webhook
after insert or update or delete on public.my_table
for each row execute function supabase_functions.http_request(
  'http://127.0.0.1:3000/hook', 'POST', '{"Content-Type": "application/json"}', '{}', '5000'
);`,
  },
]

/** A section's objects; null if its extension isn't enabled. */
export const objectsQuery = ({ id, sql, extension }: Section) =>
  queryOptions({
    queryKey: [...catalogKey, 'objects', id],
    queryFn: async ({ signal }) => {
      if (extension !== null) {
        const installed = await readJson<boolean>(
          'select to_json(true) from pg_extension where extname = $1',
          [extension],
          {
            signal,
          },
        )
        if (installed.length === 0) return null
      }
      return readJson<DatabaseObject>(sql, [], { signal })
    },
  })
