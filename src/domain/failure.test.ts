// @vitest-environment node
import { AuthApiError, AuthRetryableFetchError, createClient } from '@supabase/supabase-js'
import { expect, test, vi } from 'vitest'
import { refusal } from '../../supabase/functions/_shared/errors.ts'
import { EdgeFunctionError } from '../lib/backend/edge-function-error.ts'
import { toEdgeFunctionError } from '../lib/backend/edge-functions.ts'
import { describeFailure, failureText } from './failure.ts'

vi.mock('../lib/backend/supabase.ts', () => ({ supabase: null }))

test.each([
  ['a fetch that got nowhere', new TypeError('Failed to fetch'), 'Can’t reach the server', true],
  [
    'what PostgREST’s client makes of it',
    { message: 'TypeError: Failed to fetch', code: '' },
    'Can’t reach the server',
    true,
  ],
  [
    'a read that nobody answered in time',
    { message: 'TimeoutError: signal timed out', code: '' },
    'Can’t reach the server',
    true,
  ],
  ['the auth client without an answer', new AuthRetryableFetchError('', 0), 'Can’t reach the server', true],
  ['a gateway that finds nobody behind it', { message: 'Bad gateway', status: 502 }, 'The server has a problem', true],
  [
    'a single row that is not there',
    { code: 'PGRST116', message: 'JSON object requested' },
    'There’s nothing here',
    false,
  ],
  [
    'a storage object that is not there',
    { message: 'Object not found', statusCode: '404' },
    'There’s nothing here',
    false,
  ],
  [
    'a right that is missing by a rule of the database',
    { code: '42501', message: 'You may not.', details: '{"code": "fields_denied"}' },
    'You don’t have access',
    false,
  ],
  ['row security', { code: '42501', message: 'new row violates row-level security' }, 'You don’t have access', false],
  ['an expired token', { code: 'PGRST303', message: 'JWT expired' }, 'Your session has ended', false],
  ['too many requests', new AuthApiError('slow down', 429, 'over_request_rate_limit'), 'Too many attempts', false],
  [
    'a rule of the database, in its own words',
    { code: '23514', message: 'A library needs at least one owner.', details: '{"code": "last_owner"}' },
    'A library needs at least one owner.',
    false,
  ],
  [
    'a function’s refusal',
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
    'a function that is not there',
    new EdgeFunctionError(404, { message: 'Not found' }, false),
    'Part of the server isn’t running',
    true,
  ],
  [
    'a function that was called without a token',
    new EdgeFunctionError(401, { message: '' }, false),
    'Your session has ended',
    false,
  ],
  ['a function that was ended', new EdgeFunctionError(546, { message: '' }, false), 'The server has a problem', true],
  ['a function’s failure', new EdgeFunctionError(500, { message: 'Try again.' }), 'The server has a problem', true],
  ['anything else', new Error('odd'), 'Something went wrong', false],
  ['not even an error', 'odd', 'Something went wrong', false],
  ['nothing at all', undefined, 'Something went wrong', false],
])('%s', (_name, error, title, worthRetrying) => {
  expect(describeFailure(error, true)).toMatchObject({ title, worthRetrying })
})

test('without network the failure names the network', () => {
  expect(describeFailure(new TypeError('Failed to fetch'), false).title).toBe('You’re offline')
})

test('the hint of a database rule is the advice', () => {
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
  ['a page of somebody else', new Response('<!doctype html><h1>Router</h1>')],
  ['an answer that breaks off', new Response('[{"id": "1')],
  ['a gateway’s own page', new Response('<h1>Bad gateway</h1>', { status: 502 })],
])('%s instead of a response is a fault of the backend, and is not shown', async (_name, answer) => {
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

test('a function whose response cannot be parsed has failed', async () => {
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
  ['a function that is not deployed', {}, { code: 'NOT_FOUND', message: 'Requested function was not found' }, 404],
])('%s says that the server does not run it', async (_name, headers, body, status) => {
  const client = createClient('http://127.0.0.1', 'key', {
    global: { fetch: async () => Response.json(body, { status, headers }) },
    auth: { persistSession: false },
  })
  const { error } = await client.functions.invoke('ask')
  expect(describeFailure(await toEdgeFunctionError(error), true).title).toBe('Part of the server isn’t running')
})
