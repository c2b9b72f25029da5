import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asProjectUser } from '../database/as-project-user.ts'
import { openTestDatabase, type TestDatabase } from '../testing/database.ts'
import { AccessQuestionError, type ExplainRequest, explain } from './index.ts'

const ADA = '00000000-0000-4000-8000-00000000000a'

const SETUP = [
  `insert into auth.users (id, aud, role, email, raw_app_meta_data, raw_user_meta_data)
    values ('${ADA}', 'authenticated', 'authenticated', 'ada@example.org', '{"team": 1}', '{}')`,
  'create table members (id int primary key, owner uuid, team int not null default 1, name text check (name <> $$bad$$))',
  `insert into members values (1, '${ADA}', 1, 'a'), (2, '${ADA}', 2, 'b'), (3, null, 1, 'c')`,
  'alter table members enable row level security',
  'grant all on members to anon, authenticated',
  'create policy "members read" on members for select to anon, authenticated using (owner = (select auth.uid()))',
  'create policy "members write" on members for all to authenticated using (owner = auth.uid()) with check (team = 1)',
  `create policy "one team" on members as restrictive for update to authenticated
    using (team = ((auth.jwt() -> 'app_metadata') ->> 'team')::int)`,
  'create table closed (id int primary key)',
  'alter table closed enable row level security',
  'grant select, insert on closed to anon',
  'create table hidden (id int primary key, title text, note text)',
  'revoke all on hidden from anon, authenticated, service_role',
  'grant select (id), insert (title) on hidden to anon',
  'create table secret (id int)',
  'revoke all on secret from anon, authenticated',
  'create table sealed (id int primary key, title text)',
  `insert into sealed values (1, 'a')`,
  'alter table sealed enable row level security',
  'revoke all on sealed from anon',
  'create table asks (id int)',
  'insert into asks values (1)',
  'alter table asks enable row level security',
  'grant select on asks to anon',
  'create policy "asks others" on asks for select to anon using (exists (select from secret where secret.id = asks.id))',
  'create view all_members as select * from members',
  'create view own_members with (security_invoker = true) as select * from members',
  'grant select on all_members, own_members to anon',
  `create policy "room members" on realtime.messages for select to authenticated using (realtime.topic() = 'room:1')`,
  `insert into storage.buckets (id, name) values ('avatars', 'avatars')`,
  `create policy "own folder" on storage.objects for insert to authenticated
    with check (bucket_id = 'avatars' and (storage.foldername(name))[1] = auth.uid()::text)`,
]

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
  const settings = { search_path: 'public, extensions' }
  await asProjectUser(database.db).transaction({ settings }, async ({ query }) => {
    for (const text of SETUP) await query({ text, values: [] })
  })
})
afterAll(() => database.close())

test('evaluates each policy for each row', async () => {
  const { rows } = await explain(database.db, { as: ADA, action: 'update', target: 'members', where: 'id = 2' })
  const values = rows.map(({ rules }) =>
    rules.map(({ policy, part, purpose, value }) => [policy, part, purpose, value]),
  )
  expect(values).toEqual([
    [
      ['members write', 'using', 'update', true],
      ['one team', 'using', 'update', false],
      ['members read', 'using', 'select', true],
      ['members write', 'using', 'select', true],
    ],
  ])
})

const answerTo = async (question: ExplainRequest): Promise<string> => (await explain(database.db, question)).answer

type Case = readonly [what: string, question: ExplainRequest, answer: string]
const CASES: readonly Case[] = [
  [
    "a request without a user's token",
    { as: 'anon', action: 'select', target: 'members' },
    '0 of 3 rows are seen: policy "members read" is not true because `auth.uid()` is null: the request carried an API key and no user\'s token.',
  ],
  [
    "another user's rows",
    { as: 'ada@example.org', action: 'select', target: 'members' },
    '2 of 3 rows are seen: policy "members read" is not true because `owner` is null, and policy "members write" is not true because `owner` is null.',
  ],
  ['a visible row', { as: ADA, action: 'select', target: 'members', where: 'id = 1' }, 'The row is seen.'],
  [
    'no matching row',
    { as: ADA, action: 'select', target: 'members', where: 'id = 9' },
    'No row matches, regardless of the caller.',
  ],
  [
    'a new row that fails the check',
    { as: ADA, action: 'insert', target: 'members', row: { id: 4, owner: ADA, team: 2 } },
    'Postgres refuses the insert (42501): policy "members write" is false because `team = 1` is false: `team` is \'2\'.',
  ],
  ['a new row', { as: ADA, action: 'insert', target: 'members', row: { id: 4, owner: ADA } }, '1 row is inserted.'],
  [
    "a new row that can't be returned",
    { as: ADA, action: 'insert', target: 'members', row: { id: 4 }, returning: true },
    'Postgres refuses the insert (42501): policy "members read" is not true because `owner` is null, and policy "members write" is not true because `owner` is null.',
  ],
  [
    'a restrictive policy',
    { as: ADA, action: 'update', target: 'members', where: 'id < 3', row: { name: 'x' } },
    "1 of 2 rows is updated: the restrictive policy \"one team\" is false because `team = (((auth.jwt() -> 'app_metadata') ->> 'team'))::integer` is false: `team` is '2' and `(((auth.jwt() -> 'app_metadata') ->> 'team'))::integer` is '1'.",
  ],
  [
    'a constraint',
    { as: ADA, action: 'update', target: 'members', where: 'id = 1', row: { name: 'bad' } },
    'Postgres refuses this for every caller (23514): new row for relation "members" violates check constraint "members_name_check".',
  ],
  [
    'rows to delete',
    { as: ADA, action: 'delete', target: 'members' },
    '2 of 3 rows are deleted: policy "members write" is not true because `owner` is null.',
  ],
  [
    'no policy at all',
    { as: 'anon', action: 'insert', target: 'closed', row: { id: 1 } },
    'Postgres refuses the insert (42501): row security is on, and the table has no policy.',
  ],
  [
    'policies for other roles, and an incomplete row',
    { as: 'anon', action: 'insert', target: 'members', row: {} },
    'Postgres refuses the insert (42501): no policy that allows insert is for the role anon (policy "members write" is for authenticated).',
  ],
  [
    'policies for other roles',
    { as: 'anon', action: 'delete', target: 'members' },
    '0 of 3 rows are deleted: no policy that allows delete is for the role anon (policy "members write" is for authenticated).',
  ],
  [
    'no privilege',
    { as: 'anon', action: 'select', target: 'public.secret' },
    'Postgres refuses this for every row (42501): the role anon has no select privilege on public.secret.',
  ],
  [
    'no privilege on one column',
    { as: 'anon', action: 'insert', target: 'hidden', row: { title: 'x', note: 'y' } },
    'Postgres refuses this for every row (42501): the role anon may insert only the columns title of public.hidden, not note.',
  ],
  [
    'a policy that raises an error',
    { as: 'anon', action: 'select', target: 'asks' },
    'Postgres refuses the select (42501): policy "asks others" fails: permission denied for table secret.',
  ],
  [
    'a role that bypasses row security',
    { as: 'service_role', action: 'delete', target: 'members' },
    'All of 3 rows are deleted.',
  ],
  ["a view with its owner's rights", { as: 'anon', action: 'select', target: 'all_members' }, '3 rows are seen.'],
  ["a view with the caller's rights", { as: 'anon', action: 'select', target: 'own_members' }, '0 rows are seen.'],
  ['a topic', { as: ADA, action: 'listen', target: 'room:1' }, 'The row is seen.'],
  [
    'another topic',
    { as: ADA, action: 'listen', target: 'room:2' },
    "The row is not seen: policy \"room members\" is false because `realtime.topic() = 'room:1'` is false: `realtime.topic()` is 'room:2'.",
  ],
  ["a file in the user's folder", { as: ADA, action: 'upload', target: `avatars/${ADA}/me.png` }, '1 row is inserted.'],
  [
    "a file in another user's folder",
    { as: ADA, action: 'upload', target: 'avatars/bob/me.png' },
    `Postgres refuses the insert (42501): policy "own folder" is false because \`(storage.foldername(name))[1] = (auth.uid())::text\` is false: \`(storage.foldername(name))[1]\` is 'bob' and \`(auth.uid())::text\` is '${ADA}'.`,
  ],
]

describe('the answer names the deciding rule', () => {
  test.each(CASES)('%s', async (_what, question, answer) => {
    expect(await answerTo(question)).toBe(answer)
  })
})

test.each<[ExplainRequest, string[], string]>([
  [
    { as: 'anon', action: 'select', target: 'sealed' },
    ['grant select on public.sealed to anon;', 'create policy "…" on public.sealed for select to anon using (…);'],
    'The row is seen.',
  ],
  [
    { as: 'anon', action: 'update', target: 'sealed', where: 'id = 1', row: { title: 'b' } },
    [
      'grant update on public.sealed to anon;',
      'grant select on public.sealed to anon;',
      'create policy "…" on public.sealed for update to anon using (…);',
      'create policy "…" on public.sealed for select to anon using (…);',
    ],
    'The row is updated.',
  ],
])('the advice covers missing grants and missing policies: %o', async (question, expected, answer) => {
  const { advice } = await explain(database.db, question)
  expect(advice).toEqual(expected)
  await database.db.runAs(
    'postgres',
    advice.map((one, index) => one.replace('…', `${index}`).replace('…', 'true')).join(''),
  )
  expect(await answerTo(question)).toBe(answer)
  const undo = ['revoke all on public.sealed from anon']
  for (const [index, one] of advice.entries())
    if (one.startsWith('create policy')) undo.push(`drop policy "${index}" on public.sealed`)
  await database.db.runAs('postgres', undo.join(';'))
})

test('rolls back everything it tries', async () => {
  await answerTo({ as: 'service_role', action: 'delete', target: 'members' })
  await answerTo({ as: ADA, action: 'insert', target: 'members', row: { id: 4, owner: ADA } })
  const { rows } = await database.db.query({ text: 'select count(*)::int as count from public.members', values: [] })
  expect(rows).toEqual([{ count: 3 }])
})

test('accepts claims that no local sign-in sets', async () => {
  const question = { as: ADA, action: 'update', target: 'members', where: 'id = 2', row: { team: 1 } } as const
  expect(await answerTo(question)).toContain('the restrictive policy "one team" is false')
  expect(await answerTo({ ...question, claims: { app_metadata: { team: 2 } } })).toContain('refuses the update')
  expect(await answerTo({ ...question, row: { name: 'x' }, claims: { app_metadata: { team: 2 } } })).toContain(
    'refuses',
  )
})

test('names views and functions that run with their owner’s rights', async () => {
  const { notes } = await explain(database.db, { as: 'anon', action: 'select', target: 'all_members' })
  expect(notes).toEqual([
    "public.all_members is a view that reads public.members with the rights of its owner postgres, to whom row security does not apply. With (security_invoker = true) it would read with the caller's rights.",
  ])
})

test.each([
  [{ as: 'nobody@example.org', action: 'select', target: 'members' }, 'There is no user or role "nobody@example.org".'],
  [{ as: 'supabase_admin', action: 'select', target: 'members' }, 'There is no user or role "supabase_admin".'],
  [{ as: 'anon', action: 'select', target: 'nothing' }, 'There is no table or view public.nothing'],
  [{ as: 'anon', action: 'insert', target: 'members', row: { age: 1 } }, 'public.members has no column age.'],
  [{ as: 'anon', action: 'upload', target: 'avatars' }, '"avatars" names no file: write BUCKET/PATH.'],
] as const)('rejects an invalid question: %o', async (question, message) => {
  const asked = explain(database.db, question)
  await expect(asked).rejects.toThrow(AccessQuestionError)
  await expect(asked).rejects.toThrow(message)
})

test('reports an invalid condition', async () => {
  expect(await answerTo({ as: 'anon', action: 'select', target: 'members', where: 'nope = 1; commit' })).toMatch(
    /^Postgres refuses this for every caller \(42601\): /,
  )
})
