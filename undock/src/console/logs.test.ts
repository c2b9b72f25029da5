import { expect, test } from 'vitest'
import { createRecentLines } from '../kernel/log-lines.ts'
import { answerLogs } from './logs.ts'

test('sends all kept lines first, then only the newest of a burst after a notice', async () => {
  const recent = createRecentLines()
  const add = (count: number) => {
    for (let n = 1; n <= count; n++)
      recent.add({ time: '2026-01-01T00:00:00Z', service: 'rest', level: 'info', message: `line ${n}`, fields: {} })
  }
  add(300)
  const reader = answerLogs(recent, new Request('http://a/api/logs'))
    .body?.pipeThrough(new TextDecoderStream())
    .getReader()
  const next = async () => JSON.parse(/^data: (.*)$/m.exec((await reader?.read())?.value ?? '')?.[1] ?? '[]')
  expect(await next()).toHaveLength(300)
  add(250)
  const lines = await next()
  expect(lines).toHaveLength(101)
  expect(lines[0].message).toBe('150 lines are left out here; `undock logs` prints them')
  expect([lines[1].message, lines.at(-1).message]).toEqual(['line 151', 'line 250'])
  await reader?.cancel()
})
