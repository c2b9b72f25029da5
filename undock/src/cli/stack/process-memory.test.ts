import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { memoryWithChildren } from './list.ts'

const HOLDER = `const memory = Buffer.alloc(6e7, 1); console.log('ready'); setInterval(() => memory.length, 1_000)`

test.skipIf(process.platform === 'win32')('the memory of a process includes its children', async () => {
  const shell = spawn('/bin/sh', ['-c', '"$0" -e "$1"; true', process.execPath, HOLDER], { detached: true })
  try {
    await once(shell.stdout, 'data')
    expect(memoryWithChildren(shell.pid ?? 0)).toBeGreaterThan(6e7)
  } finally {
    process.kill(-(shell.pid ?? 0), 'SIGKILL')
  }
})

test('an ended process uses no memory', async () => {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  expect(memoryWithChildren(child.pid ?? 0)).toBeNull()
})
