import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ServiceError } from '../kernel/service-error.ts'
import { statement } from '../kernel/sql.ts'
import { planRequest } from './plan/plan.ts'
import { planSql } from './sql/statement.ts'
import { requestOf, settingsWith, TEST_SCHEMA_CACHE } from './testing/schema-cache.ts'
import { openRest, type RestHarness } from './testing/service.ts'

/** `npm test` runs a few thousand requests, `npm run test:nightly` 100,000. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 2_000)

/** Compiles a request to SQL; anything invalid must be rejected with one of our errors. */
function survive(line: string, body = '', headers: Record<string, string> = {}): void {
  try {
    const settings = settingsWith()
    const request = requestOf(line, { body, headers })
    const plan = planRequest(request, TEST_SCHEMA_CACHE, settings)
    if (plan.kind === 'inspect' || plan.kind === 'info') return
    statement(planSql(plan, request, 1000))
  } catch (error) {
    expect(error).toBeInstanceOf(ServiceError)
    expect((error as ServiceError).status).toBeLessThan(500)
  }
}

const PIECES = [
  'select=',
  'books',
  'authors',
  '(',
  ')',
  ',',
  '.',
  ':',
  '::',
  '->',
  '->>',
  '!',
  '...',
  '*',
  '"',
  '\\',
  '&',
  '=',
  'or',
  'and',
  'not',
  'eq',
  'in',
  'is',
  'null',
  'order=',
  'limit=',
  '-1',
  '0',
  '%',
  '%00',
  '%ff',
  '+',
  'é',
  '𝒳',
  'count()',
  'id',
  ' ',
  '{',
  '}',
  'columns=',
  'on_conflict=',
  ';',
  '\n',
]
const noise = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 3 })), { maxLength: 30 })
  .map((parts) => parts.join(''))
const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND')
const path = fc.constantFrom('/books', '/rpc/search_books', '/', '/nothing', '/a/b/c')

test('parses or rejects any query string', () => {
  fc.assert(
    fc.property(method, path, noise, (verb, target, search) => survive(`${verb} ${target}?${search}`, '{"id": 1}')),
    { numRuns: RUNS },
  )
})

test('parses or rejects any body', () => {
  const type = fc.constantFrom(
    'application/json',
    'text/csv',
    'application/x-www-form-urlencoded',
    'text/plain',
    'application/octet-stream',
    'a;b=',
  )
  const body = fc.oneof(fc.json(), fc.string(), noise)
  fc.assert(
    fc.property(method, path, type, body, (verb, target, contentType, text) =>
      survive(`${verb} ${target}`, text, { 'content-type': contentType }),
    ),
    { numRuns: RUNS / 2 },
  )
})

test('parses or rejects any Accept, Prefer and Range header', () => {
  const header = fc.string({
    unit: fc.constantFrom('a', '/', '*', ';', ',', '=', 'q', '0', '.', '-', ' ', '"', '|', 'count', 'tx', 'plan'),
  })
  fc.assert(
    fc.property(header, header, header, (accept, prefer, range) =>
      survive('GET /books', '', { accept, prefer, range }),
    ),
    { numRuns: RUNS / 2 },
  )
})

describe('the service itself', () => {
  let rest: RestHarness
  beforeAll(async () => {
    rest = await openRest(`
      create table public.authors (id int primary key, name text);
      create table public.books (id int primary key, title text, author_id int references public.authors, data jsonb);
      create table public.secrets (id int primary key, word text);
      revoke all on public.secrets from anon;
      insert into public.secrets values (1, 'hidden word');
      insert into public.authors values (1, 'Ada');
      insert into public.books values (1, 'Alpha', 1, '{"a": 1}');
      create function public.search_books(query text, most int default 10) returns setof public.books language sql stable
        as 'select * from public.books where title ilike query limit most';`)
    await rest.db.exec(`alter role authenticator set pgrst.db_tx_end = 'rollback'; notify pgrst, 'reload config'`)
  })
  afterAll(() => rest.close())

  test('responds to any request, reveals no secret and keeps its state', async () => {
    const type = fc.constantFrom('application/json', 'text/csv', 'application/x-www-form-urlencoded')
    await fc.assert(
      fc.asyncProperty(
        method,
        path,
        noise,
        type,
        fc.oneof(fc.json(), noise),
        async (verb, target, search, contentType, text) => {
          const bodyless = verb === 'GET' || verb === 'HEAD'
          const response = await rest.fetch(`${target}?${search}`, {
            method: verb,
            headers: { 'content-type': contentType },
            ...(bodyless ? {} : { body: text }),
          })
          const answer = await response.text()
          expect(answer).not.toContain('hidden word')
          expect([500, 503]).not.toContain(response.status)
        },
      ),
      { numRuns: RUNS / 5, endOnFailure: true },
    )
    expect(await (await rest.fetch('/books')).json()).toEqual([{ id: 1, title: 'Alpha', author_id: 1, data: { a: 1 } }])
  }, 3_600_000)
})

test.each([
  ['deep selects', `GET /books?select=${'authors('.repeat(900)}`],
  ['deep logic', `GET /books?or=${'(and'.repeat(2000)}`],
  ['long lists', `GET /books?id=in.(${'1,'.repeat(4000)}1)`],
  ['long paths', `GET /books?data${'->a'.repeat(2500)}=eq.1`],
  ['many parameters', `GET /books?${'id=eq.1&'.repeat(1000)}`],
])("%s of 8 KB doesn't exhaust the parser", (_name, line) => {
  survive(line)
})
