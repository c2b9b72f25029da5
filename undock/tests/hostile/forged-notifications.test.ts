// Every role may NOTIFY: notifications by the project's SQL on the stack's channels change and stop nothing.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startStack, type TestStack } from '../../src/test-kit/start-stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

let project: TestProject
let stack: TestStack
beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "forged"',
    'migrations/1_start.sql': `create extension pg_cron;
      create table notes (id int primary key, body text);
      insert into notes values (1, 'kept');
      grant select on notes to anon;`,
  })
  stack = await startStack({ workdir: project.folder, exclude: ['functions', 'mail', 'pg', 'mcp'] })
})
afterAll(async () => {
  await stack?.stop()
  await project.remove()
})

const ID = crypto.randomUUID()
const TEXTS = [
  '',
  'pg_cron',
  'constructor',
  'toString',
  '__proto__',
  "'; drop table notes; --",
  'x'.repeat(7_999),
  '\u{10ffff}',
]
const MESSAGES = ['x', ' ', ID, `${ID} now`, `${ID} infinity`, `${ID} 294277-01-01`, `{${ID}} 2026-01-01`, 'NULL NULL']
const NUMBERS = ['0', '-1', '4294967296', '99999999999999999999', '1,,2', `${'1,'.repeat(3_000)}1`, '7e5']
const PAYLOADS = {
  undock: TEXTS,
  pgrst: [...TEXTS, ...NUMBERS.map((numbers) => `reload relations ${numbers}`), 'reload config'],
  realtime_messages: [...TEXTS, ...MESSAGES],
  realtime_changes: TEXTS,
  realtime_publication: TEXTS,
}

test("forged notifications on any channel don't stop the Data API, pg_net or pg_cron", async () => {
  const read = async (table: string) => {
    const response = await fetch(`${stack.url}/rest/v1/${table}`, { headers: { apikey: stack.keys.publishable } })
    return { status: response.status, rows: await response.json() }
  }
  for (const [channel, payloads] of Object.entries(PAYLOADS))
    for (const payload of payloads) {
      await stack.query('select pg_notify($1, $2)', [channel, payload])
      expect(await read('notes'), `${channel} ${payload.slice(0, 40)}`).toMatchObject({ status: 200 })
    }
  await stack.query('create table later (id int)')
  await stack.query('grant select on later to anon')
  expect(await read('later')).toEqual({ status: 200, rows: [] })
  await stack.query(
    `select net.http_get($1), cron.schedule('often', '1 second', 'insert into notes values (2) on conflict do nothing')`,
    [stack.url],
  )
  await stack.waitForRows('select from net._http_response')
  await stack.waitForRows('select from notes where id = 2')
})
