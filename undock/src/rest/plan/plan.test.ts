import { describe, expect, test } from 'vitest'
import { requestOf, settingsWith, TEST_SCHEMA_CACHE } from '../testing/schema-cache.ts'
import { planRequest } from './plan.ts'

type Given = Parameters<typeof requestOf>[1]
const plan = (line: string, given: Given = {}) =>
  planRequest(requestOf(line, given), TEST_SCHEMA_CACHE, given?.settings ?? settingsWith())

describe('relationships', () => {
  test.each([
    ['many to one by table', 'GET /books?select=authors(name)', 'many-to-one'],
    ['many to one by column', 'GET /books?select=author_id(name)', 'many-to-one'],
    ['many to one by constraint', 'GET /books?select=books_author_id_fkey(name)', 'many-to-one'],
    ['one to many', 'GET /authors?select=books(*)', 'one-to-many'],
    ['many to many', 'GET /books?select=tags(*)', 'many-to-many'],
    ['with a hint', 'GET /books?select=authors!books_author_id_fkey(name)', 'many-to-one'],
    ['with a junction as hint', 'GET /tags?select=books!book_tags(*)', 'many-to-many'],
  ])('%s', (_name, line, kind) => {
    expect(plan(line)).toMatchObject({ read: { children: [{ relationship: { cardinality: { kind } } }] } })
  })
})

describe('media types', () => {
  test.each([
    ['text/csv', { handler: { kind: 'csv' } }],
    ['*/*', { handler: { kind: 'json' }, media: { name: 'application/json' } }],
    ['application/vnd.pgrst.object', { handler: { kind: 'object', stripNulls: false } }],
    ['image/png, application/json;q=0.1', { handler: { kind: 'json' } }],
  ])('%s', (accept, expected) => {
    expect(plan('GET /books', { headers: { accept } })).toMatchObject(expected)
  })
  test('a mutation returns a body only on request', () => {
    expect(plan('DELETE /books')).toMatchObject({ handler: { kind: 'none' } })
  })
})

describe('errors', () => {
  const json = (body: string, headers = {}): Given => ({ body, headers })
  test.each<[string, Given, object]>([
    [
      'GET /book',
      {},
      {
        code: 'PGRST205',
        status: 404,
        message: "Could not find the table 'public.book' in the schema cache",
        hint: "Perhaps you meant the table 'public.books'",
      },
    ],
    ['GET /zzz', {}, { code: 'PGRST205', hint: null }],
    [
      'GET /books?select=author(*)',
      {},
      {
        code: 'PGRST200',
        status: 400,
        message: "Could not find a relationship between 'books' and 'author' in the schema cache",
        details:
          "Searched for a foreign key relationship between 'books' and 'author' in the schema 'public', but no matches were found.",
        hint: "Perhaps you meant 'authors' instead of 'author'.",
      },
    ],
    [
      'GET /books?authors.name=eq.x',
      {},
      {
        code: 'PGRST108',
        message: "'authors' is not an embedded resource in this request",
        hint: "Verify that 'authors' is included in the 'select' query parameter.",
      },
    ],
    [
      'GET /authors?select=*,books(*)&order=books(title)',
      {},
      { code: 'PGRST118', details: "'authors' and 'books' do not form a many-to-one or one-to-one relationship" },
    ],
    ['GET /books?select=id.sum()', {}, { code: 'PGRST123', status: 400 }],
    [
      'GET /authors?select=...books(id.sum())',
      { settings: settingsWith({ db_aggregates_enabled: 'true' }) },
      { code: 'PGRST127', details: 'Aggregates are not implemented for one-to-many or many-to-many spreads.' },
    ],
    [
      'GET /books',
      { headers: { accept: 'image/png' } },
      { code: 'PGRST107', status: 406, message: 'None of these media types are available: image/png' },
    ],
    ['GET /books', { headers: { accept: 'application/vnd.pgrst.plan' } }, { code: 'PGRST107' }],
    [
      'POST /books',
      json('{"name":1}'),
      { code: 'PGRST204', message: "Could not find the 'name' column of 'books' in the schema cache" },
    ],
    ['PUT /books?title=eq.x', json('{"id":1}'), { code: 'PGRST105', status: 405 }],
    ['PUT /books?id=gt.1', json('{"id":1}'), { code: 'PGRST105' }],
    [
      'GET /books',
      { headers: { prefer: 'handling=strict, nonsense' } },
      { code: 'PGRST122', details: 'Invalid preferences: nonsense' },
    ],
    [
      'POST /rpc/search_book',
      json('{"query":"x"}'),
      {
        code: 'PGRST202',
        status: 404,
        message: 'Could not find the function public.search_book(query) in the schema cache',
        details:
          'Searched for the function public.search_book with parameter query or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache.',
        hint: 'Perhaps you meant to call the function public.search_books',
      },
    ],
    [
      'GET /rpc/search_books?queri=x',
      {},
      { code: 'PGRST202', hint: 'Perhaps you meant to call the function public.search_books(most, query)' },
    ],
  ])('%s', (line, given, expected) => {
    expect(() => plan(line, given)).toThrow(expect.objectContaining(expected))
  })
})

test("OPTIONS lists a relation's methods", () => {
  expect(plan('OPTIONS /books')).toEqual({ kind: 'info', allow: 'OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE' })
})
