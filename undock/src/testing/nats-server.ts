import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** Where a program is, or undefined. Debian's packages put servers where only root's PATH looks. */
export const findProgram = (name: string): string | undefined =>
  [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'].map((folder) => join(folder, name)).find(existsSync)

const program = findProgram('nats-server')

/** Whether this machine has a NATS server (Debian's package `nats-server`). */
export const hasNats = program !== undefined

export type NatsServer = {
  readonly port: number
  readonly url: string
  stop(): Promise<void>
  start(): Promise<void>
}

/** A NATS server of its own on this machine. */
export async function startNatsServer(): Promise<NatsServer> {
  const port = await freePort()
  let child: ChildProcess | null = null
  const server: NatsServer = {
    port,
    url: `nats://secret@127.0.0.1:${port}`,
    async start() {
      child = spawn(program ?? 'nats-server', ['-a', '127.0.0.1', '-p', String(port), '--auth', 'secret'], {
        stdio: 'ignore',
      })
      await untilListening(port)
    },
    async stop() {
      if (!child || child.exitCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
      child = null
    },
  }
  await server.start()
  return server
}

/** Waits until something takes connections at a port of this machine. */
export async function untilListening(port: number): Promise<void> {
  while (!(await isListening(port))) await delay(20)
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}
