// Calls every operation in the API's description with keys that have every scope except the required one.
import { fileURLToPath } from 'node:url'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import { type Stack, startStack } from '../../undock/src/runtime/stack/stack.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const READING_ROOM = 'de300000-0000-4000-8000-000000000010'
const LIGHTHOUSE = 'de300000-0000-4000-8000-000000000104'
const PUBLISHABLE = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'
const SCOPES = ['documents:read', 'documents:write', 'search', 'comments:read', 'comments:write', 'members:read']
/** The scopes that include another one (docs/api.md). */
const INCLUDED_IN: Record<string, string[]> = {
  'documents:read': ['documents:write', 'comments:read', 'comments:write'],
  'comments:read': ['comments:write'],
}
const Description = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ security: z.array(z.object({ key: z.array(z.string()) })) })),
  ),
})

describe('with a running backend', () => {
  let stack: Stack
  let address: string
  const keys = new Map<string, string>()
  const operations: { path: string; method: string; scope: string | undefined }[] = []

  beforeAll(async () => {
    stack = await startStack({ workdir: ROOT, ports: 'free', state: 'memory' })
    address = `${stack.url}/functions/v1/api/v1`
    const demo = createClient<Database>(stack.url, PUBLISHABLE, { auth: { persistSession: false } })
    await demo.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
    for (const lacking of SCOPES) {
      const scopes = SCOPES.filter((scope) => scope !== lacking && !INCLUDED_IN[lacking]?.includes(scope))
      const { data } = await demo
        .rpc('create_api_key', { library: READING_ROOM, name: `no ${lacking}`, scopes, days: 1 })
        .throwOnError()
      keys.set(lacking, z.parse(z.object({ key: z.string() }), data).key)
    }
    const { paths } = z.parse(Description, await (await fetch(`${address}/openapi.json`)).json())
    for (const [path, methods] of Object.entries(paths))
      for (const [method, { security }] of Object.entries(methods))
        operations.push({ path, method: method.toUpperCase(), scope: security[0]?.key[0] })
  })
  afterAll(() => stack?.stop())

  const call = async (path: string, method: string, key?: string) => {
    // Files are sent as forms.
    const type = path.endsWith('/file') ? 'multipart/form-data; boundary=x' : 'application/json'
    const response = await fetch(address + path.replaceAll(/\{\w+\}/g, LIGHTHOUSE), {
      method,
      headers: { 'content-type': type, ...(key ? { authorization: `Bearer ${key}` } : {}) },
      ...(method === 'GET' || method === 'DELETE' ? {} : { body: '{}' }),
    })
    const body = z.object({ code: z.string() }).safeParse(await response.json().catch(() => null))
    return `${response.status} ${body.data?.code}`
  }

  test('every operation requires its scope and a key', async () => {
    expect(operations.length).toBeGreaterThan(20)
    const answers: Record<string, unknown> = {}
    const expected: Record<string, unknown> = {}
    for (const { path, method, scope } of operations) {
      const name = `${method} ${path}`
      answers[name] = [await call(path, method), scope && (await call(path, method, keys.get(scope)))]
      expected[name] = ['401 no_key', scope && '403 missing_scope']
    }
    expect(answers).toEqual(expected)
    expect(new Set(operations.map(({ scope }) => scope))).toEqual(new Set([undefined, ...SCOPES]))
  })

  test('other services reject API keys', async () => {
    const key = keys.get('search') ?? ''
    for (const path of ['/rest/v1/documents', '/auth/v1/user', '/storage/v1/bucket', '/functions/v1/ingest']) {
      const headers = { apikey: PUBLISHABLE, authorization: `Bearer ${key}` }
      const { status } = await fetch(stack.url + path, { headers, method: path.endsWith('ingest') ? 'POST' : 'GET' })
      expect([path, [400, 401, 403].includes(status)]).toEqual([path, true])
    }
  })
})
