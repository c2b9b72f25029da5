import { expect, test } from 'vitest'
import type { Policy } from '../catalog.ts'
import { bare, changePolicySql, createPolicySql, draftOf, draftSql, emptyDraft } from './policy-sql.ts'

const notes = { schema: 'public', name: 'notes' }
const policy: Policy = {
  name: 'own',
  command: 'UPDATE',
  isPermissive: true,
  roles: ['authenticated'],
  using: '(owner = auth.uid())',
  check: null,
}

test('writes roles and only the expressions that the command allows', () => {
  const draft = { ...draftOf(policy), name: 'a "quoted" one', command: 'INSERT' as const, check: 'true' }
  expect(createPolicySql(notes, draft)).toBe(
    'create policy "a ""quoted"" one" on "public"."notes"\n  for insert to "authenticated"\n  with check (true);',
  )
  expect(createPolicySql(notes, { ...draft, command: 'SELECT', roles: ['public'], isPermissive: false })).toBe(
    'create policy "a ""quoted"" one" on "public"."notes"\n  as restrictive\n  for select to public\n  using (owner = auth.uid());',
  )
})

test('alters a policy where possible', () => {
  expect(changePolicySql(notes, policy, draftOf(policy))).toBe('')
  expect(changePolicySql(notes, policy, { ...draftOf(policy), name: 'mine', check: 'true' })).toBe(
    'alter policy "own" on "public"."notes" rename to "mine";\nalter policy "mine" on "public"."notes"\n  with check (true);',
  )
})

test('recreates the policy if the command or kind changes or an expression is removed', () => {
  const dropped = 'drop policy "own" on "public"."notes";\ncreate policy "own"'
  expect(changePolicySql(notes, policy, { ...draftOf(policy), command: 'DELETE' })).toContain(dropped)
  expect(changePolicySql(notes, policy, { ...draftOf(policy), isPermissive: false })).toContain(dropped)
  expect(changePolicySql(notes, policy, { ...draftOf(policy), using: '', check: 'true' })).toContain(dropped)
})

test.each([
  ['(a = 1)', 'a = 1'],
  ['(a) or (b)', '(a) or (b)'],
  ["(a = ')')", "a = ')'"],
  ['((a))', '(a)'],
  ['true', 'true'],
])('removes outer parentheses around %s', (text, expected) => expect(bare(text)).toBe(expected))

test.each([
  ['a name', { name: ' ' }],
  ['a role', { roles: [] }],
  ['an expression', { using: ' ' }],
  ['an expression its command allows', { command: 'INSERT' as const }],
])('writes no statement for a draft without %s', (_, missing) => {
  const draft = { ...emptyDraft('select', 'anon'), name: 'all', using: 'true' }
  expect(draftSql(notes, null, draft)).toContain('create policy "all"')
  expect(draftSql(notes, null, { ...draft, ...missing })).toBe('')
})
