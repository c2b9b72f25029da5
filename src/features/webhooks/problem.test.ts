// @vitest-environment node
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { wasSent } from './problem.ts'

test('what was refused or held back was not sent; what nobody answered was', async () => {
  const sender = await readFile('supabase/functions/_shared/webhooks/post.ts', 'utf8')
  const problems = [...sender.matchAll(/failed\(\s*`([^`]+)`/g)].map(([, problem = '']) => problem)
  expect(
    problems.map((problem) => [
      problem
        .replaceAll(/\$\{[^}]*\}/g, '…')
        .split(' ')
        .slice(0, 4)
        .join(' '),
      wasSent(problem),
    ]),
  ).toEqual([
    ['There is no host', false],
    ['… is not on', false],
    ['No answer within …', true],
    ['The receiver cannot be', true],
  ])
  expect(wasSent('The webhook was turned off before this could be delivered.')).toBe(false)
  expect(wasSent(null)).toBe(true)
})
