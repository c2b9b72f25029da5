// Callers that send many slow requests wait for themselves: others get their responses meanwhile.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWholeStack, type WholeStack } from '../../src/test-kit/whole-stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

/** The limit of parallel requests per caller. */
const SHARE = 6

describe('on PostgreSQL', () => {
  let project: TestProject
  let stack: WholeStack
  beforeAll(async () => {
    project = await makeProject({
      'config.toml': 'project_id = "fair"\n',
      'migrations/1_start.sql': `create table notes (id int primary key);
        grant select on notes to anon, authenticated, service_role;
        create function slow() returns void language sql volatile as 'select pg_sleep(60)';`,
    })
    const exclude = ['auth', 'storage', 'realtime', 'functions', 'pg', 'mcp', 'mail'] as const
    stack = await startWholeStack({ workdir: project.folder, exclude })
  })
  afterAll(async () => {
    await stack?.stop()
    await project.remove()
  })

  const ask = (path: string, token: string) =>
    fetch(`${stack.url}/rest/v1/${path}`, {
      headers: { apikey: token },
      method: path.startsWith('rpc') ? 'POST' : 'GET',
    })

  test("anonymous calls that time out don't block others", async () => {
    expect((await ask('notes', stack.keys.secret)).status).toBe(200)
    let ended = 0
    const slow = Array.from({ length: 60 }, async () => {
      const response = await ask('rpc/slow', stack.keys.publishable)
      ended += 1
      return `${response.status} ${(await response.json()).code}`
    })
    const user = await stack.identity.sign({ role: 'authenticated', sub: crypto.randomUUID(), exp: 9_999_999_999 })
    for (const token of [stack.keys.secret, user]) expect((await ask('notes', token)).status).toBe(200)
    // Only requests already running when the others arrived are answered first.
    expect(ended).toBeLessThanOrEqual(2 * SHARE)
    const answers = await Promise.all(slow)
    expect(new Set(answers)).toEqual(new Set(['500 57014', '504 PGRST003']))
    expect((await ask('notes', stack.keys.publishable)).status).toBe(200)
  })
})
