import { Agent, request as httpRequest } from 'node:http'

export type HeaderList = readonly (readonly [name: string, value: string])[]

export type RawRequest = {
  readonly method: string
  readonly path: string
  readonly headers: HeaderList
  readonly body: Buffer
}

export type RawResponse = {
  readonly status: number
  readonly headers: HeaderList
  readonly body: Buffer
}

export type HttpClient = { send(request: RawRequest): Promise<RawResponse>; close(): void }

/** A client that sends exactly the given headers, plus those HTTP needs.
 *  @param base The Data API's URL, `http://127.0.0.1:54321/rest/v1`. */
export function createHttpClient(base: string): HttpClient {
  const agent = new Agent({ keepAlive: true })
  const { hostname, port, pathname: prefix } = new URL(base)
  return {
    close: () => agent.destroy(),
    send: ({ method, path, headers, body }) =>
      new Promise((resolve, reject) => {
        const target = `${prefix}${path.startsWith('/') ? '' : '/'}${escapePath(path)}`
        const outgoing = httpRequest({ agent, hostname, port, method, path: target }, (incoming) => {
          const chunks: Buffer[] = []
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
          incoming.on('error', reject)
          incoming.on('end', () =>
            resolve({
              status: incoming.statusCode ?? 0,
              headers: pairs(incoming.rawHeaders).map(withoutOrigin),
              body: Buffer.concat(chunks),
            }),
          )
        })
        outgoing.on('error', reject)
        for (const [name, values] of grouped(headers)) outgoing.setHeader(name, values)
        if (method !== 'GET' && method !== 'HEAD') outgoing.setHeader('content-length', body.length)
        outgoing.end(body.length > 0 ? body : undefined)
      }),
  }
}

/** Characters not allowed in a request line. */
const escapePath = (path: string): string => path.replace(/[^\x21\x22\x24-\x7e]+/gu, (text) => encodeURIComponent(text))

const pairs = (raw: readonly string[]): HeaderList =>
  Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index] ?? '', raw[2 * index + 1] ?? ''])

/** CORS, a separate layer in the specs, adds Origin to Vary. */
const withoutOrigin = ([name, value]: HeaderList[number]): HeaderList[number] =>
  name.toLowerCase() === 'vary' ? [name, value.replace(', Origin', '')] : [name, value]

/** Headers can be repeated. */
function grouped(headers: HeaderList): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    groups.set(key, [...(groups.get(key) ?? []), Buffer.from(value).toString('latin1')])
  }
  return groups
}
