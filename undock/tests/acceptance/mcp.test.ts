// Supabase's MCP server for PostgREST, started over stdio like an assistant does.
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startStack, type TestStack } from '../../src/test-kit/start-stack.ts'
import { commandOf } from '../support/paths.ts'
import { makeProject, type TestProject } from '../support/project.ts'

let project: TestProject
let stack: TestStack
let client: Client
beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "mcp"\n[edge_runtime]\nenabled = false\n[api]\nschemas = ["public", "library"]\n',
    'migrations/20260101000000_books.sql': `
      create schema library;
      grant usage on schema library to anon;
      create table library.books (id int primary key generated always as identity, title text not null);
      alter table library.books enable row level security;
      create policy "all read" on library.books for select using (true);
      create policy "all write titles" on library.books for all using (true) with check (title <> 'secret');
      grant all on library.books to anon;`,
  })
  stack = await startStack({ workdir: project.folder })
  client = new Client({ name: 'assistant', version: '1.0.0' })
  const settings = { apiUrl: `${stack.url}/rest/v1`, apiKey: stack.keys.publishable, schema: 'library' }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
  await client.connect(new StdioClientTransport({ command: commandOf('mcp-server-postgrest'), args }))
})
afterAll(async () => {
  await client?.close()
  await stack?.stop()
  await project?.remove()
})

async function call(name: string, args: Record<string, unknown>): Promise<unknown> {
  const { content } = await client.callTool({ name, arguments: args })
  const [first] = content as { text: string }[]
  return JSON.parse(first?.text ?? '')
}

/** @returns the rows or the Data API's error. */
async function send(request: unknown): Promise<unknown> {
  const { result } = (await call('postgrestRequest', request as Record<string, unknown>)) as { result: unknown }
  return result
}

test('reads the description of the named schema', async () => {
  const { contents } = await client.readResource({ uri: 'postgrest:///spec' })
  const [spec] = contents as { text: string }[]
  expect(JSON.parse(spec?.text ?? '')).toMatchObject({
    swagger: '2.0',
    definitions: { books: { properties: { title: { type: 'string' } }, required: ['id', 'title'] } },
  })
})

test('writes and reads rows of the named schema', async () => {
  const insert = { method: 'POST', path: '/books', body: [{ title: 'Walden' }, { title: 'Emma' }] }
  expect(await send(insert)).toEqual([
    { id: 1, title: 'Walden' },
    { id: 2, title: 'Emma' },
  ])
  const change = { method: 'PATCH', path: '/books?id=eq.2', body: { title: 'Persuasion' } }
  expect(await send(change)).toEqual([{ id: 2, title: 'Persuasion' }])
  expect(await send({ method: 'DELETE', path: '/books?id=eq.1' })).toEqual([{ id: 1, title: 'Walden' }])
})

test('converts SQL to a request that the API accepts', async () => {
  const request = await call('sqlToRest', { sql: "select title from books where title like 'Pers%' limit 1" })
  expect(await send(request)).toEqual([{ title: 'Persuasion' }])
})

test('reports what row level security denies', async () => {
  const refused = await send({ method: 'POST', path: '/books', body: { title: 'secret' } })
  expect(refused).toMatchObject({ code: '42501', message: expect.stringContaining('row-level security') })
})
