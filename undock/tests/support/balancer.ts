import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'

export type Balancer = {
  readonly url: string
  /** The nodes, used in turn; each request reads the current list. */
  nodes: { readonly url: string; readonly adminUrl: string }[]
  close(): Promise<void>
}

const CHECK_INTERVAL = 100

/** Forwards each request and WebSocket to the next node that reports to be ready. @param port 0 for any free port. */
export async function startBalancer(nodes: Balancer['nodes'], port = 0): Promise<Balancer> {
  const ready = new Set<string>()
  const balancer = { nodes }
  const check = async (): Promise<void> => {
    await Promise.all(
      balancer.nodes.map(async ({ url, adminUrl }) => {
        const isReady = await fetch(`${adminUrl}/ready`).then(
          ({ ok }) => ok,
          () => false,
        )
        if (isReady) ready.add(url)
        else ready.delete(url)
      }),
    )
  }
  await check()
  const timer = setInterval(check, CHECK_INTERVAL)
  let turn = 0
  const next = (): URL => {
    const usable = balancer.nodes.filter(({ url }) => ready.has(url))
    turn += 1
    return new URL(usable[turn % usable.length]?.url ?? 'http://127.0.0.1:9')
  }
  const optionsOf = ({ method, url, rawHeaders }: IncomingMessage, { hostname, port }: URL) => ({
    hostname,
    port,
    method,
    path: url,
    headers: rawHeaders,
    agent: false as const,
  })
  const server = createServer((incoming, outgoing) => {
    const passed = request(optionsOf(incoming, next()), (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(outgoing)
    })
    passed.on('error', () => {
      if (outgoing.headersSent) outgoing.destroy()
      else outgoing.writeHead(502).end()
    })
    incoming.pipe(passed)
  })
  server.on('upgrade', (incoming, socket, head) => {
    const { hostname, port: ownPort } = next()
    const other = connect(Number(ownPort), hostname, () => {
      const lines = Array.from({ length: incoming.rawHeaders.length / 2 }, (_, index) =>
        incoming.rawHeaders.slice(2 * index, 2 * index + 2).join(': '),
      )
      other.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
      other.write(head)
      socket.pipe(other).pipe(socket)
    })
    for (const [one, end] of [[socket, other] as const, [other, socket] as const]) one.on('error', () => end.destroy())
    socket.on('close', () => other.destroy())
    other.on('close', () => socket.destroy())
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return Object.assign(balancer, {
    url,
    async close() {
      clearInterval(timer)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}
