import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asProjectUser } from '../database/as-project-user.ts'
import type { Principal } from '../kernel/service.ts'
import { sql } from '../kernel/sql.ts'
import { openTestDatabase, type TestDatabase } from '../testing/database.ts'
import { explainAccess } from './explain.ts'

const ADA = '00000000-0000-4000-8000-00000000000a'
const BOB = '00000000-0000-4000-8000-00000000000b'

const CALLERS: readonly Principal[] = [
  { role: 'anon', claims: { role: 'anon' } },
  { role: 'authenticated', claims: { role: 'authenticated' } },
  { role: 'authenticated', claims: { role: 'authenticated', sub: ADA, app_metadata: { level: 3 } } },
  { role: 'authenticated', claims: { role: 'authenticated', sub: BOB } },
  { role: 'service_role', claims: { role: 'service_role' } },
]

/** Tests of every kind: columns, claims, null, another table under row security, a SECURITY DEFINER function. */
const TESTS = [
  'true',
  'false',
  'null::boolean',
  'owner = auth.uid()',
  'owner = (select auth.uid())',
  "status = 'open'",
  'level > 2',
  "level <= ((auth.jwt() -> 'app_metadata') ->> 'level')::int",
  'exists (select from orgs where orgs.id = things.org)',
  'private_orgs(org)',
  "auth.role() = 'authenticated'",
  "status in ('open', 'closed')",
]

const condition = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    fc.constantFrom(...TESTS),
    fc.tuple(tie('node'), fc.constantFrom('and', 'or'), tie('node')).map(([a, word, b]) => `(${a}) ${word} (${b})`),
    tie('node').map((a) => `not (${a})`),
  ),
})).node

const policy = fc
  .record({
    kind: fc.constantFrom('permissive', 'permissive', 'permissive', 'restrictive'),
    command: fc.constantFrom('all', 'select', 'insert', 'update', 'delete'),
    role: fc.constantFrom('public', 'anon', 'authenticated', 'authenticated, anon'),
    using: condition,
    check: fc.option(condition),
  })
  .map(({ kind, command, role, using, check }) => {
    const parts = [
      command === 'insert' ? '' : `using (${using})`,
      command === 'insert' || (check !== null && (command === 'all' || command === 'update'))
        ? `with check (${check ?? using})`
        : '',
    ]
    return `on things as ${kind} for ${command} to ${role} ${parts.join(' ')}`
  })

const row = fc.record({
  owner: fc.constantFrom(ADA, BOB, null),
  status: fc.constantFrom('open', 'closed', 'draft', null),
  level: fc.constantFrom(1, 3, 5, null),
  org: fc.constantFrom(1, 2, 3),
})

const scenario = fc.record({
  policies: fc.array(policy, { maxLength: 4 }),
  rows: fc.array(row, { minLength: 1, maxLength: 4 }),
  grants: fc.subarray(['select', 'insert', 'update', 'delete'] as const, { minLength: 2 }),
  caller: fc.constantFrom(...CALLERS),
  command: fc.constantFrom('select', 'insert', 'update', 'delete'),
  where: fc.constantFrom(null, sql`level > 0`, sql`status = 'open'`),
  returning: fc.boolean(),
  values: fc.oneof(
    row,
    row.map(({ status }) => ({ status })),
  ),
})

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
  await asProjectUser(database.db).transaction({ settings: { search_path: 'public' } }, async ({ query }) => {
    for (const text of [
      'create table orgs (id int primary key, member uuid)',
      `insert into orgs values (1, '${ADA}'), (2, '${BOB}'), (3, null)`,
      'alter table orgs enable row level security',
      'create policy "own orgs" on orgs for select to public using (member = auth.uid())',
      'grant select on orgs to anon, authenticated',
      `create function private_orgs(org int) returns boolean language sql stable security definer set search_path = public
        as 'select exists (select from orgs where id = org and member = auth.uid())'`,
    ])
      await query({ text, values: [] })
  })
})
afterAll(() => database.close())

test('the verdict on each row matches Postgres for random policies, callers, rows and commands', async () => {
  let refusals = 0
  let parts = 0
  await fc.assert(
    fc.asyncProperty(scenario, async ({ policies, rows, grants, values, ...question }) => {
      await prepare(policies, rows, grants)
      const explanation = await explainAccess(database.db, {
        ...question,
        schema: 'public',
        table: 'things',
        values: ['insert', 'update'].includes(question.command) ? values : null,
      })
      const { outcome, rows: judged } = explanation
      expect(explanation.answer).toMatch(/^[A-Z0-9].*\.$/)
      if (outcome === null) {
        expect(explanation.answer).toContain('42501')
        return
      }
      const passing = judged.filter(({ passes }) => passes).length
      if ('code' in outcome) {
        expect(outcome.code, JSON.stringify(explanation, null, 1)).toBe('42501')
        // Filters and RETURNING need the SELECT privilege too.
        if (outcome.message.startsWith('permission denied')) return
        refusals++
        expect(explanation.answer, JSON.stringify(explanation, null, 1)).toMatch(
          /^Postgres refuses the (insert|update)/,
        )
        expect(passing).toBeLessThan(judged.length)
      } else {
        if (passing < judged.length) parts++
        expect(outcome.rowCount, JSON.stringify(explanation, null, 1)).toBe(passing)
      }
      for (const { passes, reason } of judged) expect(passes === (reason === null)).toBe(true)
    }),
    { numRuns: 150 },
  )
  // Make sure that the scenarios cover refusals and partial results.
  expect(refusals).toBeGreaterThan(3)
  expect(parts).toBeGreaterThan(10)
})

async function prepare(policies: readonly string[], rows: readonly object[], grants: readonly string[]): Promise<void> {
  const statements = [
    'drop table if exists things',
    'create table things (id int generated always as identity, owner uuid, status text, level int, org int default 1)',
    'revoke all on things from anon, authenticated, service_role',
    `grant ${grants.join(', ')} on things to anon, authenticated`,
    'grant all on things to service_role',
    'alter table things enable row level security',
    ...policies.map((text, index) => `create policy "policy ${index}" ${text}`),
    `insert into things (owner, status, level, org) select owner, status, level, org
      from jsonb_populate_recordset(null::things, '${JSON.stringify(rows)}')`,
  ]
  await asProjectUser(database.db).transaction({ settings: { search_path: 'public' } }, async ({ query }) => {
    for (const text of statements) await query({ text, values: [] })
  })
}
