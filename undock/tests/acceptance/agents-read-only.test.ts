import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stack, startStack } from '../../src/runtime/stack/stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

const FETCHING = 300_000
/** Postgres's codes: read-only transaction, missing privilege, several statements, transaction mode or end within a block. */
const REFUSED = /^\{"error".*(25006|42501|42601|25001|2D000)/

describe('an agent in read-only mode', () => {
  let project: TestProject
  let stack: Stack
  let agent: Client
  beforeAll(async () => {
    project = await makeProject({
      'config.toml': 'project_id = "readers"\n',
      'migrations/20260101000000_books.sql': `
        create table public.books (id bigint primary key generated always as identity, title text not null);
        create function public.add_book() returns bigint language sql security definer
          as 'insert into public.books (title) values (''by a function'') returning id';
        alter table public.books enable row level security;
        create policy "own title" on public.books to authenticated using (true) with check (title = 'mine');
        create table public.shelves as select 1 as id;
        create sequence public.numbers;
        create extension dblink with schema extensions;
        create extension http with schema extensions;
        create function public.reach_out() returns text language sql security definer
          as $$ select extensions.dblink_connect('elsewhere', 'host=127.0.0.1') $$;`,
    })
    const exclude = ['rest', 'auth', 'storage', 'realtime', 'functions', 'pg', 'mail'] as const
    stack = await startStack({ workdir: project.folder, ports: 'free', state: 'memory', exclude })
    agent = new Client({ name: 'test', version: '1.0.0' })
    await agent.connect(new StreamableHTTPClientTransport(new URL(`${stack.url}/mcp?read_only=true`)))
  }, FETCHING)
  afterAll(async () => {
    await agent?.close()
    await stack?.stop()
    await project?.remove()
  })

  const call = async (name: string, input: Record<string, unknown>): Promise<string> => {
    const { content } = (await agent.callTool({ name, arguments: input })) as CallToolResult
    return content[0]?.type === 'text' ? content[0].text : ''
  }
  const run = (query: string): Promise<string> => call('execute_sql', { query })
  const askWhere = (where: string): Promise<string> =>
    call('explain_access', { as: 'service_role', action: 'select', target: 'shelves', where })
  const evaluate = async (expression: string): Promise<unknown> => {
    const { rows } = await stack.db.query<{ value: unknown }>({ text: `select ${expression} as value`, values: [] })
    return rows[0]?.value
  }

  test('reads all rows', async () => {
    expect(await run('select count(*)::int from books')).toContain('count')
  })

  test.each([
    ['an insert', "insert into books (title) values ('x') returning id"],
    ['a schema change', 'create table made (id int)'],
    ['several statements', "commit; insert into books (title) values ('x')"],
    [
      'a DO block that resets the mode',
      "do $$ begin set transaction read write; insert into books (title) values ('x'); end $$",
    ],
    ['a setting', "select set_config('transaction_read_only', 'off', true), add_book()"],
    ["a function with its owner's rights", 'select add_book()'],
    ['another role', "do $$ begin set role postgres; insert into books (title) values ('x'); end $$"],
    ['another user', "do $$ begin reset session authorization; insert into books (title) values ('x'); end $$"],
    ['a sequence', "select nextval('books_id_seq')"],
    ['ending the transaction', 'commit'],
    ['a connection to another server', "select dblink_connect('host=127.0.0.1')"],
    ["a connection with a function's owner's rights", 'select reach_out()'],
    ['a network request', "select status from http_get('http://127.0.0.1:1/')"],
    ['a program on the machine', "copy (select 1) to program 'true'"],
  ])("can't write with %s", async (_name, query) => {
    expect(await run(query)).toMatch(REFUSED)
    const { rows } = await stack.db.query({ text: 'select count(*)::int as count from public.books', values: [] })
    expect(rows).toEqual([{ count: 0 }])
  })

  test("restores the project's permissions after each query", async () => {
    await run("select dblink_connect('host=127.0.0.1')")
    expect(await run('commit')).toMatch(REFUSED)
    expect(
      await evaluate("has_function_privilege('authenticated', 'extensions.dblink_connect(text)', 'execute')"),
    ).toBe(true)
  })

  test.each([
    ['a sequence', "setval('numbers', 500) > 0"],
    [
      'a sequence as another role',
      "query_to_xml($$ select set_config('role', 'service_role', true), setval('numbers', 500) $$, true, false, '') is not null",
    ],
    [
      'the transaction’s mode',
      "set_config('transaction_read_only', 'off', true) = 'off' and setval('numbers', 500) > 0",
    ],
    ['a connection', "dblink_connect('host=127.0.0.1') = 'OK'"],
    ['a request', "(http_get('http://127.0.0.1:1/')).status = 200"],
  ])("can't write in a condition of explain_access: %s", async (_name, where) => {
    expect(await askWhere(where)).toMatch(/25006|42501|25001/)
    expect(await evaluate("nextval('public.numbers') < 500")).toBe(true)
  })

  test('a lock taken by the condition ends with the call', async () => {
    await askWhere('pg_advisory_lock(4711) is not null')
    const isTaken = "count(*)::int from pg_locks where locktype = 'advisory' and objid = 4711"
    expect(await evaluate(`(select ${isTaken})`)).toBe(0)
  })

  test('explains what a user may write without trying it', async () => {
    const ask = (title: string) =>
      call('explain_access', { as: 'authenticated', action: 'insert', target: 'books', row: { title } })
    expect(await ask('mine')).toContain('The row is inserted.')
    const refused = await ask('another')
    expect(refused).toContain('policy \\"own title\\" is false')
    expect(refused).toContain('was not tried')
    expect(await evaluate("(select last_value from pg_sequences where sequencename = 'books_id_seq')")).toBe(null)
  })
})
