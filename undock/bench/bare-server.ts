// What the Data API is measured against as its limit: a server of node:http that knows three statements and sends them by
// node-postgres. Its arguments are a port, the address of a database's server, and `statement`, or `transaction` for what a caller
// needs: begin, role and claims, the statement and commit, sent without waiting for answers between them.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import pg from 'pg'

const [port = '', server = '', mode = ''] = process.argv.slice(2)
const hasTransactions = mode === 'transaction'
const user = hasTransactions ? 'authenticator' : 'postgres'

const pool = new pg.Pool({
  connectionString: `postgresql://${user}:postgres@${server}/postgres`,
  max: 12,
  pipeline: hasTransactions,
})

type Named = { readonly name: string; readonly text: string }

const READ: Named = { name: 'read', text: 'select id, list_id, title, done from public.items where id = $1' }
const LIST: Named = {
  name: 'list',
  text: `select i.id, i.title, json_build_object('id', l.id, 'name', l.name) as lists
    from public.items i left join public.lists l on l.id = i.list_id where i.id > $1 order by i.id limit 100`,
}
const INSERT: Named = { name: 'insert', text: 'insert into public.inserted (title) values ($1)' }
const SETTINGS: Named = {
  name: 'settings',
  text: `select set_config('request.jwt.claims', $1, true), set_config('role', $2, true)`,
}
const CLAIMS = JSON.stringify({ role: 'anon' })

async function run(statement: Named, value: string): Promise<unknown[]> {
  if (!hasTransactions) return (await pool.query({ ...statement, values: [value] })).rows
  const client = await pool.connect()
  try {
    const [, , { rows }] = await Promise.all([
      client.query({ name: 'begin', text: 'begin' }),
      client.query({ ...SETTINGS, values: [CLAIMS, 'anon'] }),
      client.query({ ...statement, values: [value] }),
      client.query({ name: 'commit', text: 'commit' }),
    ])
    return rows
  } finally {
    client.release()
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'POST') {
    const { title } = JSON.parse(await bodyOf(request)) as { title: string }
    await run(INSERT, title)
    response.writeHead(201).end()
    return
  }
  const [, comparison = 'gt', id = '0'] = /\bid=(eq|gt)\.(\d+)$/.exec(request.url ?? '') ?? []
  const rows = await run(comparison === 'eq' ? READ : LIST, id)
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(rows))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  return body
}

createServer((request, response) => {
  answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
}).listen(Number(port), '127.0.0.1')
