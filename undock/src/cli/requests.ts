import { writeFile } from 'node:fs/promises'
import type { RequestSummary, RequestTree } from '../timeline/records.ts'
import { summaryLine, treeText } from '../timeline/text.ts'
import { type BackendOptions, findBackend } from './arguments.ts'
import { findRunning, type Running } from './running.ts'

export type RequestsOptions = BackendOptions & {
  readonly follow: boolean
  readonly failed: boolean
  readonly slow?: number
  readonly service?: string
  readonly limit: number
  readonly output: 'pretty' | 'json'
}

/** `undock requests`: prints the last requests to the running backend, oldest first; with --follow also new ones. */
export async function requests({
  follow,
  failed,
  slow,
  service,
  limit,
  output,
  ...backend
}: RequestsOptions): Promise<number> {
  const running = await findRunning(findBackend(backend))
  const filter = new URLSearchParams({
    ...(failed ? { failed: 'true' } : {}),
    ...(slow === undefined ? {} : { slow: String(slow) }),
    ...(service === undefined ? {} : { service }),
  })
  const show = (one: RequestSummary): void => console.log(output === 'json' ? JSON.stringify(one) : summaryLine(one))
  const listed = await ask(running, `/requests?${filter}&limit=${limit}`)
  if (!listed) return 1
  for (const one of ((await listed.json()) as RequestSummary[]).reverse()) show(one)
  if (!follow) return 0
  const live = await ask(running, `/requests/live?${filter}`)
  if (!live?.body) return 1
  for await (const one of eventsOf(live.body)) show(one)
  return 0
}

export type ShowRequestOptions = BackendOptions & { readonly output: 'pretty' | 'json'; readonly file?: string }

/** `undock requests show`: prints a request with all that it caused. */
export async function showRequest(id: string, { output, file, ...backend }: ShowRequestOptions): Promise<number> {
  const running = await findRunning(findBackend(backend))
  const found = await ask(running, `/requests/${encodeURIComponent(id)}`)
  if (!found) return 1
  const tree = (await found.json()) as RequestTree
  const text = output === 'json' ? JSON.stringify(tree, null, 2) : treeText(tree)
  if (file === undefined) console.log(text)
  else await writeFile(file, `${text}\n`)
  return 0
}

/** Asks the running backend. @returns null when it refuses; the reason was printed. */
async function ask({ url, identity }: Running, path: string): Promise<Response | null> {
  const response = await fetch(`${url}/undock/v1${path}`, { headers: { apikey: identity.keys.secret } })
  if (response.ok) return response
  console.error(((await response.json()) as { message: string }).message)
  return null
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<RequestSummary> {
  let text = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)) {
    const events = `${text}${chunk}`.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) if (event.startsWith('data: ')) yield JSON.parse(event.slice('data: '.length))
  }
}
