import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { makeTemporaryFolder } from '../../src/platform/folders.ts'
import { findProgram } from '../../src/testing/nats-server.ts'
import type { Balancer } from './balancer.ts'
import { freePort } from './project.ts'

const EXAMPLE = fileURLToPath(new URL('../../examples/serve/haproxy.cfg', import.meta.url))
const program = findProgram('haproxy')

/** Whether HAProxy is installed (Debian's package `haproxy`). */
export const hasHaproxy = program !== undefined

/** HAProxy with the configuration from `examples/serve` in front of these nodes. */
export async function startHaproxy(nodes: Balancer['nodes']): Promise<Pick<Balancer, 'url' | 'close'>> {
  const port = await freePort()
  // Its limit needs more open files than some users are allowed.
  const example = (await readFile(EXAMPLE, 'utf8')).replace('maxconn 20000', 'maxconn 2000')
  const servers = nodes.map(
    ({ url, adminUrl }, index) => `  server node${index} ${new URL(url).host} check port ${new URL(adminUrl).port}`,
  )
  const config = [...example.split('\n').filter((line) => !line.startsWith('  server ')), ...servers, '']
  const { check, stop } = await run(config.join('\n'), { BALANCER_ADDRESS: `127.0.0.1:${port}` })
  const url = `http://127.0.0.1:${port}`
  // The first checks run within a second.
  for (;;) {
    const status = await fetch(`${url}/rest/v1/`).then(
      (answer) => answer.status,
      () => 503,
    )
    if (status !== 503) break
    check()
    await sleep(50)
  }
  return { url, close: stop }
}

/** An address of whichever of two servers is writable, like HAProxy in front of Patroni.
 *  @param ports The servers' ports.
 *  @param urlOf The URL of the server at a port. */
export async function startPrimaryAddress(
  ports: readonly [number, number],
  urlOf: (port: number) => string,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const port = await freePort()
  const checks = await Promise.all(ports.map((one) => answerWhetherPrimary(urlOf(one))))
  const { check, stop } = await run(
    `defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
listen database
  bind 127.0.0.1:${port}
  option httpchk GET /primary
  timeout check 5s
  default-server inter 300ms fall 2 rise 1 on-marked-down shutdown-sessions
${ports.map((one, index) => `  server pg${index} 127.0.0.1:${one} check port ${checks[index]?.port}`).join('\n')}
`,
    {},
  )
  // It hasn't checked the servers yet.
  while (!(await isPrimary(urlOf(port)))) {
    check()
    await sleep(50)
  }
  return {
    port,
    async close() {
      await stop()
      for (const { server } of checks) await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Responds like Patroni's API on each server. */
async function answerWhetherPrimary(url: string): Promise<{ readonly port: number; readonly server: Server }> {
  const server = createServer(async (_request, response) => {
    response.statusCode = (await isPrimary(url)) ? 200 : 503
    response.setHeader('connection', 'close').end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return { port: typeof address === 'object' && address ? address.port : 0, server }
}

async function isPrimary(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 4_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query('select pg_is_in_recovery() as standby')
    return !rows[0].standby
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

type Running = {
  /** @throws with its output if it has exited */
  check(): void
  stop(): Promise<void>
}

async function run(config: string, env: Readonly<Record<string, string>>): Promise<Running> {
  if (!program) throw new Error('There is no haproxy on this machine (Debian: haproxy).')
  const folder = makeTemporaryFolder('haproxy')
  const file = join(folder, 'haproxy.cfg')
  await writeFile(file, config)
  const child = spawn(program, ['-db', '-f', file], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let told = ''
  child.stderr.on('data', (chunk) => {
    told = (told + chunk).slice(-5_000)
  })
  const ended = once(child, 'exit')
  return {
    check() {
      if (child.exitCode !== null) throw new Error(`HAProxy ended:\n${told}`)
    },
    async stop() {
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
