// PostGraphile on the database port, started with its own command.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startStack, type TestStack } from '../../src/test-kit/start-stack.ts'
import { freePort, type TestProject } from '../support/project.ts'
import { foreignTool, makeLibrary } from './tools.ts'

let project: TestProject
let stack: TestStack
const servers: ChildProcess[] = []
beforeAll(async () => {
  project = await makeLibrary()
  stack = await startStack({ workdir: project.folder })
})
afterAll(async () => {
  for (const server of servers) {
    const exit = once(server, 'exit')
    server.kill('SIGTERM')
    await exit
  }
  await stack?.stop()
  await project?.remove()
})

/** Serves the schema `public` as a role. @returns a function that sends a GraphQL document */
async function serve(role: string): Promise<(query: string) => Promise<unknown>> {
  const connection = `${stack.dbUrl}?options=${encodeURIComponent(`-c role=${role}`)}`
  const port = await freePort()
  const preset = ['-P', 'postgraphile/presets/amber', '-c', connection, '-s', 'public', '-p', String(port)]
  const server = spawn(foreignTool('postgraphile'), preset, {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  servers.push(server)
  await new Promise<void>((resolve, reject) => {
    server.stdout.on('data', (text) => String(text).includes('/graphql') && resolve())
    server.once('exit', (code) => reject(new Error(`PostGraphile ended with code ${code}`)))
  })
  return async (query) => {
    const response = await fetch(`http://localhost:${port}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    })
    return await response.json()
  }
}

test('serves tables with their relations, enums and functions, and writes rows', async () => {
  const send = await serve('postgres')
  const nested = '{ allAuthors { nodes { name booksByAuthor(orderBy: PRIMARY_KEY_ASC) { nodes { title genre } } } } }'
  const books = [
    { title: 'Orlando', genre: 'novel' },
    { title: 'Street Haunting', genre: 'essay' },
  ]
  expect(await send(nested)).toEqual({
    data: { allAuthors: { nodes: [{ name: 'Woolf', booksByAuthor: { nodes: books } }] } },
  })
  expect(await send('{ booksBy(authorName: "Woolf", atMost: 1) { nodes { title } } }')).toEqual({
    data: { booksBy: { nodes: [{ title: 'Orlando' }] } },
  })
  const create =
    'mutation { createBook(input: { book: { title: "Flush", tags: ["dog"] } }) { book { rowId genre tags } } }'
  expect(await send(create)).toEqual({ data: { createBook: { book: { rowId: '3', genre: 'novel', tags: ['dog'] } } } })
})

test('a role sees the rows that row level security allows', async () => {
  const send = await serve('anon')
  expect(await send('{ allBooks { nodes { title } } }')).toEqual({
    data: { allBooks: { nodes: [{ title: 'Street Haunting' }] } },
  })
})
