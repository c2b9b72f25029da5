import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createRecentLines } from './log-lines.ts'

const SIZE = 1_000_000
const LINES = 20

test('kept lines hold only their own characters in memory', () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const recent = createRecentLines()
  const heap = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = heap()
  for (let n = 0; n < LINES; n++) {
    const message = Buffer.alloc(SIZE, String(n % 10)).toString('latin1')
    recent.add({ time: '', service: 'functions', level: 'info', message, fields: {}, trace: message })
  }
  expect(recent.since(0)).toHaveLength(LINES)
  expect(heap() - before).toBeLessThan((LINES * SIZE) / 10)
})
