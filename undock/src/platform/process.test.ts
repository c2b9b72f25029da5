import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { hasCertainlyEnded, isRunning, processStart } from './process.ts'

// Releasing a thread's memory takes longer than ending the first thread.
const PROGRAM = `
const { Worker, isMainThread, parentPort } = require('node:worker_threads')
if (isMainThread) new Worker(__filename).on('message', () => process.send('ready'))
else {
  const memory = Array.from({ length: 8 }, () => Buffer.alloc(2e7, 1))
  parentPort.postMessage(memory.length)
  setInterval(() => memory.length, 1_000)
}`

test.runIf(process.platform === 'linux')('a process has ended once its last thread has', async () => {
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
    // No pause here: the child's pid can be reused as soon as this process handles events.
    while (processStart(pid) !== null);
    threads.push(Number(/^Threads:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]))
    await exit
  }
  await rm(folder, { recursive: true })
  expect(threads).toEqual(threads.map(() => 1))
})

test('a process has certainly ended if it is missing or its pid was reused', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1_000)'])
  const [pid, exit] = [child.pid ?? 0, once(child, 'exit')]
  await once(child, 'spawn')
  const judge = (start: string | null) => [
    isRunning({ pid, processStart: start }),
    hasCertainlyEnded({ pid, processStart: start }),
  ]
  expect(judge(processStart(pid))).toEqual([true, false])
  expect(judge(null)).toEqual([true, false])
  expect(judge('long ago')).toEqual(process.platform === 'win32' ? [false, false] : [false, true])
  child.kill('SIGKILL')
  await exit
  expect(judge(null)).toEqual([false, true])
})

test.runIf(process.platform === 'linux')('a killed process has ended even if its parent never reaps it', async () => {
  // The shell becomes a program that never reaps its child.
  const parent = spawn('/bin/sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'])
  const pid = Number(await once(parent.stdout, 'data'))
  const recorded = { pid, processStart: processStart(pid) }
  process.kill(pid, 'SIGKILL')
  while (isRunning(recorded)) await setTimeout(5)
  expect(hasCertainlyEnded(recorded)).toBe(true)
  parent.kill('SIGKILL')
})
