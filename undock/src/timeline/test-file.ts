import { decodeSegments } from '../kernel/router.ts'
import { splitUrl } from '../kernel/url.ts'
import { authCall, dataApiCall, literal, type RecordedCall, storageCall } from './client-calls.ts'
import type { RequestRecord } from './records.ts'
import { HIDDEN } from './redaction.ts'
import { bodyOfTest, refuseWhatCannotBeSent } from './replay.ts'

const CLIENT_CALLS: Readonly<Record<string, (recorded: RecordedCall) => string | null>> = {
  rest: dataApiCall,
  auth: authCall,
  storage: storageCall,
}

/** Marks where the test's author inserts a secret. */
const TO_FILL_IN = 'FILL IN'

/** Returns a Vitest file that repeats a request as its caller and expects the same status, with supabase-js if possible, or else `fetch`.
 *  @throws {ServiceError} 422 if required data wasn't recorded. */
export function testFileOf(record: RequestRecord): string {
  refuseWhatCannotBeSent(record)
  const { method, path, service, status, caller, id } = record
  const derived = clientCall(record)
  const isUser = caller?.claims.sub !== undefined
  const needsClient = derived !== null
  const key = caller?.role === 'service_role' && !isUser ? 'secret' : 'publishable'
  const code = [
    ...(needsClient ? [`  const client = createClient(stack.url, stack.keys.${key}, CLIENT_OPTIONS)`] : []),
    ...(isUser
      ? [
          `  // A new user in place of ${literal(caller.claims.sub)}.`,
          `  const user = await stack.createUser(${caller.claims.aal === 'aal2' ? "{ aal: 'aal2' }" : ''})`,
        ]
      : []),
    ...(isUser && needsClient ? ['  await client.auth.setSession(user.session)'] : []),
    ...(derived === null ? fetchCall(record) : expectation(service, `await ${derived}`, status)),
  ]
  const needsSecrets = code.some((line) => line.includes(TO_FILL_IN))
  return [
    ...(needsClient ? ["import { createClient } from '@supabase/supabase-js'"] : []),
    "import { test } from 'undock/vitest'",
    "import { expect } from 'vitest'",
    '',
    `// Made by \`undock requests to-test ${id.slice(0, 8)}\`. It finds the backend as migrations and seed make it.`,
    ...(needsSecrets ? [`// Secrets are not kept: write one where it says ${TO_FILL_IN}.`] : []),
    ...(needsClient ? ['const CLIENT_OPTIONS = { auth: { persistSession: false, autoRefreshToken: false } }', ''] : []),
    `test(${literal(`${method} ${splitUrl(`http://undock${path}`).pathname} answers ${status}`)}, async ({ stack }) => {`,
    ...code,
    '})',
    '',
  ].join('\n')
}

function clientCall(record: RequestRecord): string | null {
  const { service, method, path, headers } = record
  const derive = CLIENT_CALLS[service]
  if (!derive) return null
  const { pathname, search } = splitUrl(`http://undock${path}`)
  if (decodeSegments(pathname) === null) return null
  const body = service === 'storage' && isUpload(record) ? undefined : jsonOf(bodyOfTest(record, TO_FILL_IN))
  if (body === NO_JSON) return null
  return derive({
    method,
    headers,
    body,
    path: pathname.replace(/^\/[a-z]+\/v1/, ''),
    query: new URLSearchParams(search),
  })
}

const isUpload = ({ headers }: RequestRecord): boolean =>
  !(headers['content-type'] ?? '').startsWith('application/json')

const NO_JSON = Symbol('no JSON')

function jsonOf(text: string | null): unknown {
  if (text === null) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return NO_JSON
  }
}

/** The Data API's client returns every status; the others only an error's. */
function expectation(service: string, request: string, status: number): string[] {
  if (service === 'rest') return [`  const { status } = ${request}`, `  expect(status).toBe(${status})`]
  const [field, wanted] = status < 400 ? ['error', 'toBeNull()'] : ['error?.status', `toBe(${status})`]
  return [`  const { error } = ${request}`, `  expect(${field}).${wanted}`]
}

function fetchCall(record: RequestRecord): string[] {
  const { method, path, headers, caller, status } = record
  const body = bodyOfTest(record, TO_FILL_IN)
  const { 'content-length': _, 'user-agent': __, 'x-client-info': ___, origin: ____, ...sent } = headers
  const key = caller?.role === 'service_role' && caller.claims.sub === undefined ? 'secret' : 'publishable'
  const credentials = [
    ...(caller ? [`apikey: stack.keys.${key}`] : []),
    ...(caller?.claims.sub === undefined ? [] : ['authorization: `Bearer $' + '{user.session.access_token}`']),
  ]
  const known = Object.entries(sent).map(
    ([name, value]) => `${/^[a-z]+$/.test(name) ? name : literal(name)}: ${literal(value)}`,
  )
  const all = [...credentials, ...known]
  return [
    `  const response = await fetch(stack.url + ${literal(path.replaceAll(HIDDEN, TO_FILL_IN))}, {`,
    `    method: ${literal(method)},`,
    ...(all.length === 0 ? [] : [`    headers: { ${all.join(', ')} },`]),
    ...(body === null ? [] : [`    body: ${literal(body)},`]),
    '  })',
    `  expect(response.status).toBe(${status})`,
  ]
}
