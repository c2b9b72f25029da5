import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { type RequestOptions, request } from 'node:https'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createClient } from '@supabase/supabase-js'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { makeProject, type TestProject } from '../support/project.ts'
import { end, endRunning, launch, startUndock, undock, untilSaid } from '../support/undock.ts'

const CONFIG = 'project_id = "cli"\n[edge_runtime]\nenabled = false\n'
const NOTES = `create table public.notes (id bigint generated always as identity primary key, body text not null);`
const { version } = createRequire(import.meta.url)('../../package.json') as { version: string }
const SECRET_KEY = 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'

const cleaning: Array<() => Promise<unknown>> = []
afterEach(async () => {
  await endRunning()
  for (const clean of cleaning.splice(0).reverse()) await clean()
})

async function project(files: Record<string, string> = {}): Promise<TestProject> {
  const made = await makeProject({ 'config.toml': CONFIG, 'migrations/1_notes.sql': NOTES, ...files })
  cleaning.push(made.remove)
  return made
}

async function started(made: TestProject, ...flags: readonly string[]) {
  const child = await startUndock(made, flags)
  cleaning.push(() => end(child, 'SIGKILL'))
  return child
}

const client = ({ ports }: TestProject) => createClient(`http://127.0.0.1:${ports.SUPABASE_API_PORT}`, SECRET_KEY)

test('run starts a backend for a command, returns its exit code and leaves no files behind', async () => {
  const made = await project()
  const script = `
    const answer = await fetch(process.env.SUPABASE_URL + '/rest/v1/notes', { headers: { apikey: process.env.SUPABASE_ANON_KEY } })
    console.log(await answer.text())
    process.exit(7)`
  const { code, stdout } = await undock(made, 'run', '--', process.execPath, '--input-type=module', '-e', script)
  expect([code, stdout.trim()]).toEqual([7, '[]'])
  expect((await undock(made, 'status')).code).toBe(1)
})

test("run doesn't start the command without a backend, and reports an unknown command", async () => {
  const broken = await project({ 'migrations/2_bad.sql': 'select nothing;' })
  const failed = await undock(broken, 'run', '--', 'echo', 'ran')
  expect([failed.code, failed.stdout, failed.stderr]).toEqual([1, '', expect.stringContaining('2_bad.sql:1')])
  expect((await undock(await project(), 'run', '--', 'no-such-command')).code).toBe(127)
})

test('start, status, logs and stop control one stack', async () => {
  const made = await project()
  const child = await started(made)
  await client(made).from('notes').insert({ body: 'kept' }).throwOnError()

  expect((await undock(made, 'status')).stdout).toContain(`:${made.ports.SUPABASE_API_PORT}/storage/v1/s3\n`)
  const env = await undock(made, 'status', '-o', 'env')
  expect(env.stdout).toContain(`API_URL="http://127.0.0.1:${made.ports.SUPABASE_API_PORT}"`)
  const json = JSON.parse((await undock(made, 'status', '-o', 'json')).stdout)
  expect(json).toMatchObject({ SECRET_KEY, DB_URL: expect.stringContaining(`:${made.ports.SUPABASE_DB_PORT}/`) })
  const renaming = await undock(made, 'status', '-o', 'env', '--override-name', 'api.url=NEXT_PUBLIC_SUPABASE_URL')
  expect(renaming.stdout).toMatch(/^NEXT_PUBLIC_SUPABASE_URL="http/m)
  expect((await undock(made, 'status', '--override-name', 'api.uri=X')).code).toBe(2)
  expect((await undock(made, 'logs', 'gateway')).stdout).toContain('POST /rest/v1/notes 201')

  expect((await undock(made, 'stop')).code).toBe(0)
  expect(child.exitCode).toBe(0)
  const stopped = await undock(made, 'status')
  expect([stopped.code, stopped.stderr]).toEqual([1, expect.stringContaining('Start it with `undock start`')])
})

test('start uses free ports, other hosts and its own certificate on %s', async () => {
  const made = await project({
    'config.toml': 'project_id = "cli"',
    'functions/ask/index.ts': `Deno.serve(async () => {
      const answer = await fetch(Deno.env.get('SUPABASE_URL') + '/auth/v1/health')
      return new Response(String(answer.status))
    })`,
  })
  await started(made, '--ports', 'free', '--host', '0.0.0.0', '--https')
  const { API_URL, DB_URL, MAILPIT_URL, ANON_KEY } = JSON.parse((await undock(made, 'status', '-o', 'json')).stdout)
  const { protocol, hostname, port } = new URL(API_URL)
  expect(protocol).toBe('https:')
  expect(port).not.toBe(made.ports.SUPABASE_API_PORT)
  expect([DB_URL, MAILPIT_URL].map((url) => new URL(url).hostname)).toEqual([hostname, hostname])

  const ca = await readFile(join(made.folder, 'supabase/.undock/certificate/cert.pem'))
  const headers = { apikey: ANON_KEY, authorization: `Bearer ${ANON_KEY}` }
  expect(await ask(`${API_URL}/functions/v1/ask`, { ca, headers })).toEqual([200, '200'])
  const otp = JSON.stringify({ email: 'device@example.com' })
  expect((await ask(`${API_URL}/auth/v1/otp`, { ca, headers, method: 'POST' }, otp))[0]).toBe(200)
  const mail = await (await fetch(`${MAILPIT_URL}/api/v1/message/latest`)).text()
  expect(mail).toContain(`${API_URL}/auth/v1/verify?token=`)

  const direct = new pg.Client({ connectionString: DB_URL })
  await direct.connect()
  expect((await direct.query('select email from auth.users')).rows).toEqual([{ email: 'device@example.com' }])
  await direct.end()
})

async function ask(
  url: string,
  options: RequestOptions,
  body = '',
): Promise<[status: number | undefined, text: string]> {
  const asked = request(url, options).end(body)
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return [response.statusCode, await text(response)]
}

test('acknowledged writes survive a kill, and reset starts with an empty database', async () => {
  const made = await project({ 'seed.sql': `insert into public.notes (body) values ('seeded');` })
  const child = await started(made)
  await client(made).from('notes').insert({ body: 'acknowledged' }).throwOnError()
  await end(child, 'SIGKILL')

  await started(made)
  const bodies = async () =>
    (await client(made).from('notes').select('body').order('id').throwOnError()).data.map(({ body }) => body)
  expect(await bodies()).toEqual(['seeded', 'acknowledged'])
  expect((await undock(made, 'reset')).code).toBe(0)
  expect(await bodies()).toEqual(['seeded'])
})

test('--detach runs in the background until stop; its log lists the time of each step', async () => {
  const made = await project()
  const { code, stderr } = await undock(made, 'start', '--detach')
  expect([code, stderr]).toEqual([0, expect.stringContaining('stop it with `undock stop`')])
  const log = await readFile(join(made.folder, 'supabase/.undock/logs/undock.log'), 'utf8')
  expect(log).toContain('applying supabase/migrations/1_notes.sql')
  expect(log).toMatch(/^Ready in \d+\.\d\d s, \d+ MB$/m)
  const [, parts = ''] = log.match(/^ {2}(.* m?s(?:, \d+ MB)?)$/m) ?? []
  expect(
    parts
      .split(' · ')
      .map((part) => part.replace(/ \d+(\.\d\d s| ms)(, \d+ MB)?$/, ''))
      .sort(),
  ).toEqual(['auth', 'database', 'mail', 'realtime', 'rest', 'storage'])
  await client(made).from('notes').select().throwOnError()
  expect((await undock(made, 'stop')).code).toBe(0)
})

test('a signal during a long start immediately prints how to end it', async () => {
  const made = await project({ 'migrations/2_long.sql': 'select pg_sleep(100);' })
  const child = launch(made, ['start'])
  await untilSaid(child, 'applying supabase/migrations/2_long.sql')
  child.kill('SIGINT')
  await untilSaid(child, 'press Ctrl-C again to stop immediately')
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([130, null])
})

test('a second start in the same folder names the running process', async () => {
  const made = await project()
  const child = await started(made)
  const other = { ...made, ports: (await project()).ports }
  const { code, stderr } = await undock(other, 'start')
  expect([code, stderr]).toEqual([1, expect.stringContaining(`running already: process ${child.pid} serves it`)])
})

test('reports a port in use with the process that uses it', async () => {
  const made = await project()
  const server = createServer().listen(Number(made.ports.SUPABASE_API_PORT), '127.0.0.1')
  cleaning.push(async () => server.close())
  await once(server, 'listening')
  const { code, stderr } = await undock(made, 'start')
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`Port ${made.ports.SUPABASE_API_PORT}, for the API, is in use`),
  ])
  expect(stderr).toContain('--ports free')
  expect(stderr).toContain('undock start --name NAME')
  if (process.platform === 'linux') expect(stderr).toContain(`process ${process.pid} (`)
})

test('a service that fails to start ends the start, even while the database opens', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  cleaning.push(async () => taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const made = await project({ 'config.toml': `${CONFIG}[local_smtp]\nsmtp_port = ${port}\n` })
  const { code, stderr } = await undock(made, 'start')
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`Port ${port}, for SMTP (local_smtp.smtp_port), is in use`),
  ])
  expect(stderr).toContain('supabase/config.toml')
})

test.each<[string, Record<string, string>, string]>([
  [
    'an unknown value in config.toml',
    { 'config.toml': '[api]\nmax_rows = "x"\n' },
    'supabase/config.toml:2: api.max_rows',
  ],
  ['a syntax error in config.toml', { 'config.toml': '[api\n' }, 'supabase/config.toml:1'],
  [
    'a failing migration',
    { 'migrations/2_bad.sql': 'select 1;\n\nselect nothing;' },
    'supabase/migrations/2_bad.sql:3: column "nothing" does not exist (SQLSTATE 42703)',
  ],
])('%s ends the start with its location and reason', async (_name, files, message) => {
  const made = await project(files)
  const { code, stderr } = await undock(made, 'start')
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
})

test.each([
  [['nonsense'], 'Unknown command "nonsense"'],
  [['strat'], 'Did you mean start?'],
  [['start', '--nonsense'], "Unknown option '--nonsense'"],
  [['start', '--prots', 'free'], 'Did you mean --ports?'],
  [[], 'Usage: undock'],
  [['run'], 'Add the command to run'],
  [['start', '--exclude', 'nonsense'], '--exclude accepts rest, auth'],
])('rejects unknown commands and options: %j', async (args, message) => {
  const { code, stderr } = await undock(await project(), ...args)
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
})

test.each([
  [['--help'], 'Usage: undock [options] [command]'],
  [['start', '--help'], 'Usage: undock start [options]'],
  [['help', 'db', 'diff'], 'Usage: undock db diff [options]'],
  [['run', '--help'], 'Usage: undock run [options] -- <command...>'],
  [['--version'], `${version}\n`],
  [['completion', 'bash'], 'complete -o bashdefault -o default -F _undock undock'],
  [['completion', 'zsh'], '#compdef undock'],
  [['completion', 'fish'], 'complete -c undock'],
])('prints %j on standard output', async (args, answer) => {
  const { code, stdout, stderr } = await undock(await project(), ...args)
  expect([code, stdout, stderr]).toEqual([0, expect.stringContaining(answer), ''])
})

test('passes options after `--` to the command of run', async () => {
  const { code, stdout } = await undock(
    await project(),
    'run',
    '--ports',
    'free',
    '--',
    'echo',
    '--help',
    '-x',
    '--',
    'end',
  )
  expect([code, stdout]).toEqual([0, '--help -x -- end\n'])
})

test('reports a file where undock needs a folder, with what to do', async () => {
  const made = await project({ '.undock/storage': 'not a folder' })
  for (const flags of [[], ['--detach']]) {
    const { code, stderr } = await undock(made, 'start', ...flags)
    expect([code, stderr]).toEqual([1, expect.stringContaining(join(made.folder, 'supabase/.undock/storage'))])
    expect(stderr).toContain('Move it away or delete it, then start again.')
    expect(stderr).not.toContain('    at ')
  }
})
