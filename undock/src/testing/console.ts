import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeProject, type TestProject } from '../../tests/support/project.ts'
import { readProjectConfig } from '../config/project.ts'
import { type Console, startConsole } from '../console/index.ts'
import type { ConsoleOptions } from '../console/options.ts'
import type { StatementResult } from '../console/run-statements.ts'
import { createRecentLines, type RecentLines } from '../kernel/log-lines.ts'
import { refuseUpgrade } from '../kernel/node-http.ts'
import { type Stack, startStack } from '../runtime/stack/stack.ts'

type Init = RequestInit & { headers?: Record<string, string> }

/** A console of a stack in memory, opened by its link.
 *  @property ada The id of the user ada@example.com, to whom the first three of 5,000 notes belong.
 *  @property sockets The addresses of the sockets that Realtime got. @property kept Commands before which the data was kept. */
export type TestConsole = {
  readonly project: TestProject
  readonly stack: Stack
  readonly served: Console
  readonly cookie: string
  readonly ada: string
  readonly lines: RecentLines
  readonly sockets: readonly string[]
  readonly kept: readonly string[]
  options(): ConsoleOptions
  /** Opens a console by its link, and returns its cookie. */
  open(url: string): Promise<string>
  /** A request as a page of the console sends it. */
  ask(path: string, init?: Init): Promise<Response>
  post(path: string, body: unknown): Promise<Response>
  query(body: object): Promise<StatementResult[]>
  /** The status of a request with headers that fetch sets itself. An empty one is not sent. */
  statusOf(path: string, headers: Record<string, string>): Promise<number | undefined>
  close(): Promise<void>
}

/** Serves the console with a client of two files, on a database with notes of which each user sees their own, and goods. */
export async function startTestConsole(): Promise<TestConsole> {
  const project = await makeProject({
    'config.toml': 'project_id = "console"\n[edge_runtime]\nenabled = false\n',
    'migrations/1_notes.sql': `
      create table public.notes (id bigint primary key, owner uuid default auth.uid(), body text, price numeric, at timestamptz);
      alter table public.notes enable row level security;
      create policy "own notes" on public.notes using (owner = auth.uid()) with check (owner = auth.uid());
      insert into public.notes (id, body, price, at)
        select n, '<b>note</b> ' || n, 1.10, '2026-01-01 00:00:00.123456+00' from generate_series(1, 5000) n;
      create table public.goods (
        id bigint generated always as identity primary key, code varchar(5) not null unique, price numeric(6, 2) check (price > 0),
        note bigint references public.notes);`,
  })
  const stack = await startStack({ workdir: project.folder, ports: 'free', state: 'memory' })
  const ada = await addUser(stack, 'ada@example.com')
  await stack.db.query({ text: 'update public.notes set owner = $1 where id <= 3', values: [ada] })
  const folder = await mkdtemp(join(tmpdir(), 'undock-client-'))
  const client = join(folder, 'client')
  await mkdir(join(client, 'assets'), { recursive: true })
  await writeFile(join(client, 'index.html'), '<!doctype html><title>Console</title>')
  await writeFile(join(client, 'assets', 'index-1.js'), 'export {}')
  await writeFile(join(folder, 'outside.js'), '')
  const lines = createRecentLines()
  const sockets: string[] = []
  const kept: string[] = []

  const options = (): ConsoleOptions => ({
    host: '127.0.0.1',
    port: 0,
    claimPort: (port, _what, take) => take(port),
    db: stack.db,
    dbUrl: stack.dbUrl,
    apiUrl: stack.url,
    identity: stack.identity,
    isLocal: true,
    supabaseFolder: join(project.folder, 'supabase'),
    config: stack.config,
    settings: { read: (text) => readProjectConfig(project.folder, {}, { text }), apply: async () => undefined },
    facts: () => Promise.reject(new Error('not asked here')),
    handlerOf: (path) => (path.startsWith('/absent') ? null : (forwarded) => fetch(forwarded)),
    mailTemplates: null,
    mail: (forwarded) => fetch(forwarded.url.replace(served.url, stack.mailUrl ?? ''), forwarded),
    joinRealtime: (handshake, socket) => {
      sockets.push(handshake.url ?? '')
      refuseUpgrade(socket, 503)
    },
    clock: stack.clock,
    folder: client,
    keepForUndo: async (command) => {
      kept.push(command)
      return `kept before ${command}`
    },
    recentLines: lines,
    log: { info() {}, warn() {}, error() {} },
  })
  const served = await startConsole(options())
  const cookie = await openByLink(served.openingUrl())

  const ask = (path: string, init: Init = {}) =>
    fetch(served.url + path, { ...init, headers: { cookie, 'sec-fetch-site': 'same-origin', ...init.headers } })
  const post = (path: string, body: unknown) => ask(path, { method: 'POST', body: JSON.stringify(body) })
  return {
    project,
    stack,
    served,
    cookie,
    ada,
    lines,
    sockets,
    kept,
    options,
    open: openByLink,
    ask,
    post,
    async query(body) {
      const response = await post('/api/query', body)
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
      return response.json()
    },
    statusOf(path, headers) {
      const given = Object.fromEntries(Object.entries({ cookie, ...headers }).filter(([, value]) => value !== ''))
      return new Promise((resolve, reject) => {
        const sent = request(served.url + path, { headers: given }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        sent.on('error', reject).end()
      })
    },
    async close() {
      await served.close()
      await stack.stop()
      await project.remove()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function addUser(stack: Stack, email: string): Promise<string> {
  const headers = { apikey: stack.identity.keys.secret, 'content-type': 'application/json' }
  const body = JSON.stringify({ email })
  const response = await fetch(`${stack.url}/auth/v1/admin/users`, { method: 'POST', headers, body })
  return ((await response.json()) as { id: string }).id
}

async function openByLink(url: string): Promise<string> {
  const response = await fetch(url, { redirect: 'manual' })
  if (response.status !== 303 || response.headers.get('location') !== '/')
    throw new Error(`The link of the console was answered with ${response.status}.`)
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}
