import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stack, startStack } from '../../undock/src/runtime/stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

const FETCHING = 300_000
/** Of Postgres: read only transaction, missing right, several statements, a transaction's mode or end within a block. */
const REFUSED = /^\{"error".*(25006|42501|42601|25001|2D000)/

describe.each(['native', 'pglite'] as const)('an agent in read only mode, on the engine %s,', (engine) => {
  let project: TestProject
  let stack: Stack
  let agent: Client
  beforeAll(async () => {
    project = await makeProject({
      'config.toml': 'project_id = "readers"\n',
      'migrations/20260101000000_books.sql': `
        create table public.books (id bigint primary key generated always as identity, title text not null);
        create function public.add_book() returns bigint language sql security definer
          as 'insert into public.books (title) values (''by a function'') returning id';`,
    })
    const exclude = ['rest', 'auth', 'storage', 'realtime', 'functions', 'pg', 'mail'] as const
    stack = await startStack({ workdir: project.folder, ports: 'free', state: 'memory', engine, exclude })
    agent = new Client({ name: 'test', version: '1.0.0' })
    await agent.connect(new StreamableHTTPClientTransport(new URL(`${stack.url}/mcp?read_only=true`)))
  }, FETCHING)
  afterAll(async () => {
    await agent?.close()
    await stack?.stop()
    await project?.remove()
  })

  const run = async (query: string): Promise<string> => {
    const { content } = (await agent.callTool({ name: 'execute_sql', arguments: { query } })) as CallToolResult
    return content[0]?.type === 'text' ? content[0].text : ''
  }

  test('reads all rows', async () => {
    expect(await run('select count(*)::int from books')).toContain('count')
  })

  test.each([
    ['an insert', "insert into books (title) values ('x') returning id"],
    ['a schema change', 'create table made (id int)'],
    ['several statements', "commit; insert into books (title) values ('x')"],
    [
      'a block that asks for more',
      "do $$ begin set transaction read write; insert into books (title) values ('x'); end $$",
    ],
    ['a setting', "select set_config('transaction_read_only', 'off', true), add_book()"],
    ["a function with its owner's rights", 'select add_book()'],
    ['another role', "do $$ begin set role postgres; insert into books (title) values ('x'); end $$"],
    ['another user', "do $$ begin reset session authorization; insert into books (title) values ('x'); end $$"],
    ['a sequence', "select nextval('books_id_seq')"],
    ['programs of the machine', "copy (select 1) to program 'true'"],
  ])('cannot write by %s', async (_name, query) => {
    expect(await run(query)).toMatch(REFUSED)
    const { rows } = await stack.db.query({ text: 'select count(*)::int as count from public.books', values: [] })
    expect(rows).toEqual([{ count: 0 }])
  })
})
