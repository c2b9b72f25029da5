import { describe, expect, test } from 'vitest'
import { requestOf, settingsWith } from '../testing/schema-cache.ts'

const refusal = (work: () => unknown): object => {
  try {
    work()
  } catch (error) {
    const { code, status, message, details, hint } = error as Record<string, unknown>
    return { code, status, message, details, hint }
  }
  throw new Error('nothing was refused')
}

describe('the target of a request', () => {
  test.each([
    ['GET /books', { kind: 'read', target: { schema: 'public', name: 'books' }, headersOnly: false }],
    ['HEAD /my%20books', { kind: 'read', target: { schema: 'public', name: 'my books' }, headersOnly: true }],
    ['POST /books', { kind: 'mutate', target: { schema: 'public', name: 'books' }, mutation: 'create' }],
    ['PATCH /books', { kind: 'mutate', target: { schema: 'public', name: 'books' }, mutation: 'update' }],
    ['DELETE /books', { kind: 'mutate', target: { schema: 'public', name: 'books' }, mutation: 'delete' }],
    ['GET /rpc/find', { kind: 'call', target: { schema: 'public', name: 'find' }, method: 'GET' }],
    ['OPTIONS /books', { kind: 'tableInfo', target: { schema: 'public', name: 'books' } }],
    ['GET /', { kind: 'inspect', headersOnly: false }],
  ])('%s', (line, action) => {
    expect(requestOf(line, { body: '{}' }).action).toEqual(action)
  })

  test("the method's profile header selects the schema", () => {
    const settings = settingsWith({ db_schemas: 'public, api' })
    const headers = { 'accept-profile': 'api' }
    expect(requestOf('GET /a', { headers, settings })).toMatchObject({ schema: 'api', negotiated: true })
    expect(requestOf('DELETE /a', { headers, settings })).toMatchObject({ schema: 'public', negotiated: true })
    expect(requestOf('GET /a')).toMatchObject({ schema: 'public', negotiated: false })
  })

  test('the Range header narrows limit and offset, for GET only', () => {
    const headers = { range: '2-5' }
    expect(requestOf('GET /a', { headers }).range).toEqual({ from: 2, to: 5 })
    expect(requestOf('GET /a?limit=4', { headers }).range).toEqual({ from: 2, to: 3 })
    expect(requestOf('HEAD /a', { headers }).range).toEqual({ from: 0, to: null })
    expect(requestOf('GET /a?limit=0').range).toEqual({ from: 0, to: -1 })
  })

  test('preferences: the first valid one applies, the others are listed as invalid', () => {
    const headers = {
      prefer: 'return=minimal, count=exact,  count=planned , timezone=Europe/Berlin, max-affected=3, odd=1',
    }
    expect(requestOf('GET /a', { headers }).preferences).toEqual({
      resolution: null,
      representation: 'minimal',
      count: 'exact',
      transaction: null,
      missing: null,
      handling: null,
      timezone: 'Europe/Berlin',
      maxAffected: 3,
      invalid: ['odd=1'],
    })
  })

  test('sorts Accept by quality, then by specificity', () => {
    const accept = 'text/csv;q=0.5, */*, application/vnd.pgrst.object+json;nulls=stripped'
    expect(requestOf('GET /a', { headers: { accept } }).accepts).toEqual([
      { kind: 'object', stripNulls: true },
      { kind: 'any' },
      { kind: 'named', name: 'text/csv' },
    ])
  })
})

describe('bodies', () => {
  test.each([
    [
      'an object',
      'application/json',
      '{"b":1,"a":2}',
      { kind: 'json', text: '{"b":1,"a":2}', isObject: true, columns: ['a', 'b'] },
    ],
    [
      'equal objects',
      'application/json',
      '[{"a":1},{"a":2}]',
      { kind: 'json', text: '[{"a":1},{"a":2}]', isObject: false, columns: ['a'] },
    ],
    [
      'brackets in a text',
      'application/json',
      `{"a":"${'['.repeat(20_001)}\\"["}`,
      { kind: 'json', text: `{"a":"${'['.repeat(20_001)}\\"["}`, isObject: true, columns: ['a'] },
    ],
    ['a lone value', 'application/json', '3', { kind: 'json', text: '[]', isObject: false, columns: [] }],
    [
      'CSV with quotes, NULL and CRLF',
      'text/csv',
      'a,b\r\n1,"x ""y"", z"\r\nNULL,\r\n',
      {
        kind: 'json',
        text: '[{"a":"1","b":"x \\"y\\", z"},{"a":null,"b":""}]',
        isObject: false,
        columns: ['a', 'b'],
      },
    ],
    [
      'a form',
      'application/x-www-form-urlencoded',
      'a=1+2&b=%26',
      { kind: 'json', text: '{"a":"1 2","b":"&"}', isObject: true, columns: ['a', 'b'] },
    ],
  ])('%s', (_name, type, body, expected) => {
    const { payload, columns } = requestOf('POST /books', { body, headers: { 'content-type': type } })
    expect({ ...payload, text: String(payload?.kind === 'json' ? payload.text : ''), columns }).toEqual(expected)
  })

  test("doesn't parse the body with columns=", () => {
    expect(requestOf('POST /books?columns=b,a', { body: '[{' })).toMatchObject({ columns: ['a', 'b'] })
  })
})

describe('errors', () => {
  const plain = { details: null, hint: null }
  test.each([
    ['GET /a/b/c', {}, { ...plain, code: 'PGRST125', status: 404, message: 'Invalid path specified in request URL' }],
    ['TRACE /a', {}, { ...plain, code: 'PGRST117', status: 405, message: 'Unsupported HTTP method: TRACE' }],
    ['PUT /rpc/a', {}, { ...plain, code: 'PGRST101', status: 405, message: 'Cannot use the PUT method on RPC' }],
    [
      'GET /a',
      { headers: { 'accept-profile': 'secret' } },
      {
        code: 'PGRST106',
        status: 406,
        message: 'Invalid schema: secret',
        details: null,
        hint: 'Only the following schemas are exposed: public',
      },
    ],
    [
      'GET /a?limit=-1',
      {},
      {
        code: 'PGRST103',
        status: 416,
        message: 'Requested range not satisfiable',
        details: 'Limit should be greater than or equal to zero.',
        hint: null,
      },
    ],
    [
      'PUT /a?limit=1',
      { body: '{}' },
      {
        ...plain,
        code: 'PGRST114',
        status: 400,
        message: 'limit/offset querystring parameters are not allowed for PUT',
      },
    ],
    ['POST /a', { body: '{' }, { ...plain, code: 'PGRST102', status: 400, message: 'Empty or invalid json' }],
    [
      'POST /a',
      { body: '[{"a":1},{"b":1}]' },
      { ...plain, code: 'PGRST102', status: 400, message: 'All object keys must match' },
    ],
    [
      'POST /a',
      { body: `{"a": ${'['.repeat(10_001)}${']'.repeat(10_001)}}` },
      {
        ...plain,
        code: 'PGRST102',
        status: 400,
        message: 'Empty or invalid json',
        details: 'nested deeper than 10000 levels',
      },
    ],
    ['POST /a', { body: '[1]' }, { ...plain, code: 'PGRST102', status: 400, message: 'All object keys must match' }],
    [
      'POST /a',
      { body: 'x', headers: { 'content-type': 'image/png' } },
      { ...plain, code: 'PGRST102', status: 400, message: 'Content-Type not acceptable: image/png' },
    ],
    [
      'GET /%E0%A4%A',
      {},
      { ...plain, code: 'PGRST125', status: 404, message: 'Invalid path specified in request URL' },
    ],
  ])('%s', (line, given, expected) => {
    expect(refusal(() => requestOf(line, given))).toEqual(expected)
  })
})
