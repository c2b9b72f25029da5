import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { processStart } from './process.ts'

// Releasing the memory of a thread takes longer than ending the first thread.
const PROGRAM = `
const { Worker, isMainThread, parentPort } = require('node:worker_threads')
if (isMainThread) new Worker(__filename).on('message', () => process.send('ready'))
else {
  const memory = Array.from({ length: 8 }, () => Buffer.alloc(2e7, 1))
  parentPort.postMessage(memory.length)
  setInterval(() => memory.length, 1_000)
}`

test.runIf(process.platform === 'linux')('a process has ended when the last of its threads has', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'undock-process-'))
  await writeFile(join(folder, 'program.cjs'), PROGRAM)
  const threads: number[] = []
  for (let round = 0; round < 8; round++) {
    const child = fork(join(folder, 'program.cjs'))
    const exit = once(child, 'exit')
    await once(child, 'message')
    const pid = child.pid ?? 0
    expect(processStart(pid)).toMatch(/^\d+$/)
    child.kill('SIGKILL')
    // There is no pause here: as soon as this process handles events, the child's id can be reused.
    while (processStart(pid) !== null);
    threads.push(Number(/^Threads:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]))
    await exit
  }
  await rm(folder, { recursive: true })
  expect(threads).toEqual(threads.map(() => 1))
})
