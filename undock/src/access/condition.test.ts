import { expect, test } from 'vitest'
import { nodesOf, parseCondition, readable } from './condition.ts'

test("parses AND, OR and NOT into a tree with each node's SQL", () => {
  const tree = parseCondition("((owner = auth.uid()) AND ((status = 'AND (x'::text) OR (NOT (level > 3))))")
  expect(nodesOf(tree).map(({ kind, text }) => [kind, text])).toEqual([
    ['and', "(owner = auth.uid()) AND ((status = 'AND (x'::text) OR (NOT (level > 3)))"],
    ['test', 'owner = auth.uid()'],
    ['or', "(status = 'AND (x'::text) OR (NOT (level > 3))"],
    ['test', "status = 'AND (x'::text"],
    ['not', 'NOT (level > 3)'],
    ['test', 'level > 3'],
  ])
})

test.each([
  ['(a = b)', { left: 'a', operator: '=', right: 'b' }],
  ['(owner = ( SELECT auth.uid() AS uid))', { left: 'owner', operator: '=', right: '( SELECT auth.uid() AS uid)' }],
  ['(level <= (3 + 4))', { left: 'level', operator: '<=', right: '(3 + 4)' }],
  ['(a IS DISTINCT FROM b)', { left: 'a', operator: 'IS DISTINCT FROM', right: 'b' }],
  ['(a = ANY (ARRAY[1, 2]))', { left: 'a', operator: '=', right: null }],
  ['(a IN ( SELECT b FROM c WHERE (b = d)))', { left: 'a', operator: 'IN', right: null }],
  ['(EXISTS ( SELECT 1 FROM t WHERE (t.a = b)))', null],
  ["(name = E'it\\\\''s = x'::text)", { left: 'name', operator: '=', right: "E'it\\\\''s = x'::text" }],
  ['CASE WHEN (a = b) THEN true ELSE (c = d) END', null],
])('splits %s into its sides', (text, operands) => {
  expect(parseCondition(text)).toMatchObject({ kind: 'test', operands })
})

test('shows a subselect around a function as the function', () => {
  expect(readable('( SELECT auth.uid() AS uid)')).toBe('auth.uid()')
  expect(readable('(owner = ( SELECT auth.uid() AS uid))')).toBe('owner = auth.uid()')
})
