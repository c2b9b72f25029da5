import { WebSocket } from 'ws'

/** A Node process inspected from outside. */
export type Inspector = {
  /** Live bytes on its JavaScript heap and in buffers, after a garbage collection. */
  memory(): Promise<{ readonly heap: number; readonly buffers: number }>
  /** The process's CPU time in milliseconds. */
  processorTime(): Promise<number>
  close(): void
}

/** @param port The port of a Node process started with `--inspect=127.0.0.1:<port>` */
export async function openInspector(port: number): Promise<Inspector> {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
    webSocketDebuggerUrl: string
  }[]
  if (!target) throw new Error(`Nothing to inspect on port ${port}`)
  const socket = new WebSocket(target.webSocketDebuggerUrl)
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
      // Twice: the second collection frees what finalizers released in the first.
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
