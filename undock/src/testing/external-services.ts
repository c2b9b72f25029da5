import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as an external service received it: the host that was asked, the path and the form. */
export type ReceivedRequest = {
  readonly method: string
  readonly url: URL
  readonly authorization: string
  readonly form: Readonly<Record<string, string>>
}

type Answer = { readonly status?: number; readonly body: unknown }

/** One server in place of every external service: `fetch` sends it what is addressed to other hosts. */
export async function startExternalServices(answer: (asked: ReceivedRequest) => Answer) {
  const requests: ReceivedRequest[] = []
  const server = createServer(async (request, response) => {
    const text = await readAll(request)
    const one: ReceivedRequest = {
      method: request.method ?? '',
      url: new URL(String(request.headers['x-meant-for'])),
      authorization: request.headers.authorization ?? '',
      form: Object.fromEntries(new URLSearchParams(text)),
    }
    requests.push(one)
    const { status = 200, body } = answer(one)
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fetchThere: typeof globalThis.fetch = (input, init) => {
    const meant = new URL(String(input))
    const headers = new Headers(init?.headers)
    headers.set('x-meant-for', meant.href)
    return fetch(`${origin}${meant.pathname}`, { ...init, headers })
  }
  return { requests, fetch: fetchThere, close: () => new Promise((resolve) => server.close(resolve)) }
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
