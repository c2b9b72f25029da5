import { type ChildProcess, spawn } from 'node:child_process'
import { WebSocket } from 'ws'

/** A Node process looked into from outside. */
export type Inspector = {
  /** Bytes that live on its JavaScript heap and in its buffers, after everything else was collected. */
  memory(): Promise<{ readonly heap: number; readonly buffers: number }>
  /** Processor time that its main thread's process has used, in milliseconds. */
  processorTime(): Promise<number>
  close(): void
}

/** Starts Node with its inspector on. */
export const spawnInspected = (args: readonly string[], options: Parameters<typeof spawn>[2]): ChildProcess =>
  spawn(process.execPath, ['--inspect=127.0.0.1:0', ...args], options)

/** @param stderr What the process has said there so far: its first line names the inspector's address. */
export async function openInspector(stderr: string): Promise<Inspector> {
  const address = /ws:\/\/\S+/.exec(stderr)?.[0]
  if (!address) throw new Error('The process was not started with its inspector on')
  const socket = new WebSocket(address)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  let last = 0
  const call = <T>(method: string, params: object = {}): Promise<T> =>
    new Promise((resolve, reject) => {
      const id = ++last
      const hear = (data: Buffer): void => {
        const message = JSON.parse(data.toString()) as { id?: number; result?: T; error?: { message: string } }
        if (message.id !== id) return
        socket.off('message', hear)
        if (message.error) reject(new Error(message.error.message))
        else resolve(message.result as T)
      }
      socket.on('message', hear)
      socket.send(JSON.stringify({ id, method, params }))
    })
  const evaluate = async <T>(expression: string): Promise<T> =>
    (await call<{ result: { value: T } }>('Runtime.evaluate', { expression, returnByValue: true })).result.value
  return {
    async memory() {
      // Twice: what finalizers let go is collected by the second.
      for (const _ of 'ab') await call('HeapProfiler.collectGarbage')
      const used = await evaluate<{ heapUsed: number; arrayBuffers: number }>('process.memoryUsage()')
      return { heap: used.heapUsed, buffers: used.arrayBuffers }
    },
    async processorTime() {
      const { user, system } = await evaluate<{ user: number; system: number }>('process.cpuUsage()')
      return (user + system) / 1_000
    },
    close: () => socket.terminate(),
  }
}
