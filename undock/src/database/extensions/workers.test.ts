import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAdjustableClock } from '../../kernel/adjustable-clock.ts'
import type { Lifecycle } from '../../kernel/service.ts'
import { openTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { eventually } from '../../testing/eventually.ts'
import { ordinaryUser, reachableNode } from '../postgres/ordinary-user.ts'
import { startScheduler } from './cron/scheduler.ts'
import { createRoute } from './net/sender.ts'
import { startExtensionWorkers } from './workers.ts'

let database: TestDatabase
let background: Lifecycle
let server: Server
let url: string
const seen: { method: string; path: string; type: string | undefined; body: string }[] = []
const clock = createAdjustableClock(() => undefined)
const complaints: unknown[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/slow') return
    if (request.url === '/bomb') {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(65 * 2 ** 20)))
      return
    }
    let body = ''
    request.on('data', (part) => {
      body += part
    })
    request.on('end', () => {
      seen.push({ method: request.method ?? '', path: request.url ?? '', type: request.headers['content-type'], body })
      response.writeHead(request.url === '/missing' ? 404 : 200, {
        'content-type': 'application/json',
        'x-answer': 'yes',
      })
      response.end('{"ok":true}')
    })
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  database = await openTestDatabase()
  background = await startExtensionWorkers({
    db: database.db,
    clock,
    log: { info: () => undefined, warn: () => undefined, error: (_message, error) => complaints.push(error) },
    route: createRoute(url, 54321),
    isShared: false,
  })
})
afterAll(async () => {
  await background.close()
  await database.close()
  server.closeAllConnections()
  server.close()
  expect(complaints).toEqual([])
})

const rows = async (text: string) => (await database.db.query({ text, values: [] })).rows
const run = (script: string) => database.db.runAs('postgres', script)

test('pg_net sends a request after commit and stores the response', async () => {
  await run(`begin; select net.http_post('${url}/rolled-back'); rollback`)
  await run(`select net.http_post('${url}/hook?a=1', '{"b": "ü"}', '{"c": "d e"}')`)
  await eventually(async () => expect(await rows('select * from net._http_response')).toHaveLength(1))
  expect(seen).toEqual([{ method: 'POST', path: '/hook?a=1&c=d%20e', type: 'application/json', body: '{"b": "ü"}' }])
  const [answer] = await rows(
    `select status_code, content_type, headers ->> 'x-answer' as header, content, timed_out, error_msg from net._http_response`,
  )
  expect(answer).toEqual({
    status_code: 200,
    content_type: 'application/json',
    header: 'yes',
    content: '{"ok":true}',
    timed_out: false,
    error_msg: null,
  })
  expect(await rows(`select status, (response).status_code from net._http_collect_response(2)`)).toEqual([
    { status: 'SUCCESS', status_code: 200 },
  ])
})

test.each([
  ["net.http_get('URL/missing')", { status_code: 404, timed_out: false, error_msg: null }],
  ["net.http_delete('URL/thing', body := '{}')", { status_code: 200, timed_out: false, error_msg: null }],
  ["net.http_get('http://host.docker.internal:54321/api')", { status_code: 200, timed_out: false, error_msg: null }],
  ["net.http_get('http://kong:8000/functions/v1/x')", { status_code: 200, timed_out: false, error_msg: null }],
  [
    "net.http_get('http://127.0.0.1:1/')",
    { status_code: null, timed_out: false, error_msg: "Couldn't connect to server" },
  ],
  [
    "net.http_get('URL/slow', timeout_milliseconds := 50)",
    { status_code: null, timed_out: true, error_msg: 'Timeout of 50 ms reached' },
  ],
  [
    "net.http_get('URL/bomb', timeout_milliseconds := 60000)",
    { status_code: null, timed_out: false, error_msg: 'The response is larger than 64 MB' },
  ],
  ["net.http_get('no url')", { status_code: null, timed_out: false, error_msg: 'Invalid URL' }],
])('pg_net: %s', async (call, expected) => {
  await database.db.exec('truncate net._http_response')
  await run(`select ${call.replace('URL', url)}`)
  await eventually(async () =>
    expect(await rows('select status_code, timed_out, error_msg from net._http_response')).toEqual([expected]),
  )
})

test('a database webhook posts the changed row', async () => {
  seen.length = 0
  await run(`
    create table public.notes (id int, text text);
    create trigger hook after insert or update on public.notes for each row
      execute function supabase_functions.http_request('${url}/webhook', 'POST', '{"Content-Type":"application/json"}', '{}', '1000');
    insert into public.notes values (1, 'a')`)
  await eventually(() => expect(seen).toHaveLength(1))
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
    type: 'INSERT',
    table: 'notes',
    schema: 'public',
    record: { id: 1, text: 'a' },
    old_record: null,
  })
})

test.runIf(reachableNode(ordinaryUser()))(
  'http returns the response within the statement and reports errors',
  async () => {
    await run('create extension http with schema extensions')
    // The statement blocks the engine, which has its own thread, so this thread can still respond.
    expect(await rows(`select status, content_type, content from extensions.http_get('${url}/now')`)).toEqual([
      { status: 200, content_type: 'application/json', content: '{"ok":true}' },
    ])
    await expect(run(`select extensions.http_get('http://127.0.0.1:1/')`)).rejects.toThrow("Couldn't connect to server")
    const hostile = "$(touch x)';`touch y`"
    await run(`select extensions.http_post('${url}/large', $$${hostile}$$ || repeat('a', 400000), 'text/plain')`)
    expect(seen.at(-1)?.body.slice(0, hostile.length)).toBe(hostile)
    expect(seen.at(-1)?.body).toHaveLength(hostile.length + 400_000)
    expect(
      await rows(`select * from pg_ls_dir('base/pgsql_tmp', true, false) as name where name like '%http%'`),
    ).toEqual([])
  },
)

test('cron runs a due job as its user and records the result', async () => {
  await run(`
    create extension pg_cron;
    create table public.ticks (who text);
    select cron.schedule('tick', '0 * * * *', $$insert into public.ticks values (current_user); insert into public.ticks values ('two')$$);
    select cron.schedule('broken', '0 * * * *', 'select 1/0');
    select cron.schedule('tidy', '0 * * * *', 'vacuum public.ticks');
    select cron.schedule('off', '0 * * * *', 'select 3');
    select cron.alter_job((select jobid from cron.job where jobname = 'off'), active := false)`)
  expect(await rows('select * from cron.job_run_details')).toEqual([])
  await eventually(async () => {
    clock.advance(3_600_000)
    expect(await rows('select * from public.ticks')).not.toEqual([])
  })
  await eventually(async () =>
    expect(
      await rows('select command, status, return_message from cron.job_run_details order by runid limit 3'),
    ).toEqual([
      { command: expect.stringContaining('ticks'), status: 'succeeded', return_message: 'INSERT 0 1' },
      { command: 'select 1/0', status: 'failed', return_message: 'ERROR:  division by zero' },
      { command: 'vacuum public.ticks', status: 'succeeded', return_message: 'VACUUM' },
    ]),
  )
  expect((await rows('select distinct who from public.ticks order by 1')).map(({ who }) => who)).toEqual([
    'postgres',
    'two',
  ])
  // Setting the clock back reschedules the jobs. A few runs may be in progress, but not many.
  const runs = async () => (await rows('select * from cron.job_run_details')).length
  clock.advance(-1_000 * 3_600_000)
  const before = await runs()
  await eventually(async () => {
    clock.advance(3_600_000)
    expect(await runs()).toBeGreaterThan(before + 20)
  })
  await run(`select cron.unschedule(jobname) from cron.job where jobname <> 'off'`)
  expect(await rows('select jobname from cron.job')).toEqual([{ jobname: 'off' }])
})

test('runs jobs that were due while the backend was asleep once, and none of a start', async () => {
  await run(`
    create extension if not exists pg_cron;
    create table public.woken (name text);
    select cron.schedule('missed', '* * * * *', $$insert into public.woken values ('missed')$$);
    select cron.schedule('start', '@reboot', $$insert into public.woken values ('start')$$)`)
  const woken = await startScheduler({
    db: database.db,
    clock: { now: () => new Date() },
    log: { info: () => undefined, warn: () => undefined, error: (_message, error) => complaints.push(error) },
    route: createRoute(url, 54321),
    isShared: false,
    asleepSince: new Date(Date.now() - 3_600_000),
  })
  try {
    await eventually(async () => expect(await rows('select name from public.woken')).toEqual([{ name: 'missed' }]))
    await eventually(() => expect(woken.activity).toMatchObject({ running: 0, total: 1 }))
    expect(woken.activity.due?.getTime()).toBeGreaterThan(Date.now())
  } finally {
    await woken.close()
    await run(`select cron.unschedule('missed'), cron.unschedule('start')`)
  }
})

test('ignores a job table that the project created', async () => {
  const other = await openTestDatabase()
  try {
    await other.db.runAs(
      'postgres',
      `create schema cron;
       create table public.ran (id int);
       grant insert on public.ran to service_role;
       create table cron.job (jobid bigint, schedule text, command text, database text, username text, active boolean);
       create table cron.job_run_details (jobid bigint, runid int default 1, job_pid int, database text, username text,
         command text, status text, return_message text, start_time timestamptz, end_time timestamptz);
       insert into cron.job values (1, '@reboot', 'insert into public.ran values (1)', 'postgres', 'service_role', true)`,
    )
    const scheduler = await startScheduler({
      db: other.db,
      clock,
      log: { info: () => undefined, warn: () => undefined, error: (_message, error) => complaints.push(error) },
      route: createRoute(url, 54321),
      isShared: false,
    })
    await scheduler.close()
    expect((await other.db.query({ text: 'select from public.ran', values: [] })).rows).toEqual([])
  } finally {
    await other.close()
  }
})
