import { AuthApiError, AuthRetryableFetchError, createClient } from '@supabase/supabase-js'
import { expect, test, vi } from 'vitest'
import { refusal } from '../../supabase/functions/_shared/errors.ts'
import { EdgeFunctionError } from '../lib/backend/edge-function-error.ts'
import { toEdgeFunctionError } from '../lib/backend/edge-functions.ts'
import { describeFailure, failureText } from './failure.ts'

vi.mock('../lib/backend/supabase.ts', () => ({ supabase: null }))

test.each([
  ['a failed fetch', new TypeError('Failed to fetch'), 'Can’t reach the server', true],
  [
    'a failed fetch in the PostgREST client',
    { message: 'TypeError: Failed to fetch', code: '' },
    'Can’t reach the server',
    true,
  ],
  ['a read that timed out', { message: 'TimeoutError: signal timed out', code: '' }, 'Can’t reach the server', true],
  ['a failed fetch in the auth client', new AuthRetryableFetchError('', 0), 'Can’t reach the server', true],
  ['a gateway without a backend', { message: 'Bad gateway', status: 502 }, 'The server has a problem', true],
  ['a deadlock', { code: '40P01', message: 'deadlock detected' }, 'The server has a problem', true],
  ['a lock that took too long', { code: '55P03', message: 'canceling statement' }, 'The server has a problem', true],
  ['a database that restarts', { code: '57P01', message: 'terminating connection' }, 'The server has a problem', true],
  ['a database without connections', { code: '53300', message: 'too many clients' }, 'The server has a problem', true],
  ['a missing row', { code: 'PGRST116', message: 'JSON object requested' }, 'There’s nothing here', false],
  ['a missing storage object', { message: 'Object not found', statusCode: '404' }, 'There’s nothing here', false],
  [
    'a permission denied by a database rule',
    { code: '42501', message: 'You may not.', details: '{"code": "fields_denied"}' },
    'You don’t have access',
    false,
  ],
  ['row security', { code: '42501', message: 'new row violates row-level security' }, 'You don’t have access', false],
  ['an expired token', { code: 'PGRST303', message: 'JWT expired' }, 'Your session has ended', true],
  ['too many requests', new AuthApiError('slow down', 429, 'over_request_rate_limit'), 'Too many attempts', false],
  [
    'the message of a database rule',
    { code: '23514', message: 'A library needs at least one owner.', details: '{"code": "last_owner"}' },
    'A library needs at least one owner.',
    false,
  ],
  [
    'an error reported by a function',
    new EdgeFunctionError(404, refusal('share_link_invalid').body),
    'This link doesn’t show a file.',
    false,
  ],
  [
    'a function that cannot start',
    new EdgeFunctionError(503, { message: 'Boot error' }, false),
    'Part of the server isn’t running',
    true,
  ],
  [
    'a missing function',
    new EdgeFunctionError(404, { message: 'Not found' }, false),
    'Part of the server isn’t running',
    true,
  ],
  [
    'a function called without a token',
    new EdgeFunctionError(401, { message: '' }, false),
    'Your session has ended',
    true,
  ],
  ['a terminated function', new EdgeFunctionError(546, { message: '' }, false), 'The server has a problem', true],
  ['a failed function', new EdgeFunctionError(500, { message: 'Try again.' }), 'The server has a problem', true],
  ['any other error', new Error('odd'), 'Something went wrong', false],
  ['a thrown string', 'odd', 'Something went wrong', false],
  ['undefined', undefined, 'Something went wrong', false],
])('%s', (_name, error, title, worthRetrying) => {
  expect(describeFailure(error, true)).toMatchObject({ title, worthRetrying })
})

test('a network failure while offline says so', () => {
  expect(describeFailure(new TypeError('Failed to fetch'), false).title).toBe('You’re offline')
})

test('the advice is the hint of the database error', () => {
  const error = {
    code: '23514',
    message: 'A library needs at least one owner.',
    hint: 'Make someone else an owner first.',
    details: '{"code": "last_owner"}',
  }
  expect(describeFailure(error, true).advice).toBe('Make someone else an owner first.')
  expect(failureText(error)).toBe('A library needs at least one owner. Make someone else an owner first.')
})

test.each([
  ['another site’s page', new Response('<!doctype html><h1>Router</h1>')],
  ['a truncated response', new Response('[{"id": "1')],
  ['a gateway’s error page', new Response('<h1>Bad gateway</h1>', { status: 502 })],
])('%s is reported as a server problem, and its text is not shown', async (_name, answer) => {
  const client = createClient('http://127.0.0.1', 'key', {
    global: { fetch: async () => answer.clone() },
    auth: { persistSession: false },
    db: { retry: false },
  })
  const asked = [
    client.from('documents').select().throwOnError(),
    client.rpc('search_passages').single().throwOnError(),
    client.storage.from('documents').throwOnError().createSignedUrl('a', 60),
  ]
  for (const { reason } of (await Promise.allSettled(asked)) as PromiseRejectedResult[]) {
    expect(describeFailure(reason, true)).toMatchObject({
      title: 'The server has a problem',
      worthRetrying: true,
    })
  }
})

test('an unparsable function response is a server problem', async () => {
  const error = await toEdgeFunctionError(new SyntaxError('Unexpected token <'))
  expect(describeFailure(error, true).title).toBe('The server has a problem')
})

test.each([
  [
    'FunctionsRelayError',
    { 'x-relay-error': 'true' },
    { code: 'BOOT_ERROR', message: 'Function failed to start' },
    503,
  ],
  ['a function that isn’t deployed', {}, { code: 'NOT_FOUND', message: 'Requested function was not found' }, 404],
])('%s: the server does not run the function', async (_name, headers, body, status) => {
  const client = createClient('http://127.0.0.1', 'key', {
    global: { fetch: async () => Response.json(body, { status, headers }) },
    auth: { persistSession: false },
  })
  const { error } = await client.functions.invoke('ask')
  expect(describeFailure(await toEdgeFunctionError(error), true).title).toBe('Part of the server isn’t running')
})
