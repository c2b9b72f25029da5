import { readFile, writeFile } from 'node:fs/promises'
import { harOf } from '../../timeline/har.ts'
import { matches, type RequestSummary, type RequestTree, summaryOf } from '../../timeline/records.ts'
import { summaryLine, treeText } from '../../timeline/text.ts'
import { type BackendOptions, findBackend, UsageError } from '../arguments.ts'
import { ask, findRunning } from '../running.ts'

type RequestsOptions = BackendOptions & {
  readonly follow: boolean
  readonly failed: boolean
  readonly slow?: number
  readonly service?: string
  readonly limit: number
  readonly output: 'pretty' | 'json'
  readonly from?: string
}

/** `undock requests`: prints the last requests to the running backend, oldest first; with --follow also new ones. */
export async function requests({
  follow,
  failed,
  slow,
  service,
  limit,
  output,
  from,
  ...backend
}: RequestsOptions): Promise<number> {
  const show = (one: RequestSummary): void => console.log(output === 'json' ? JSON.stringify(one) : summaryLine(one))
  if (from !== undefined) {
    if (follow) throw new UsageError('--follow works only with a running backend. Leave out --from.')
    const fitting = (await readSaved(from)).filter((one) => matches(one, { failed, slow, service }))
    for (const one of fitting.slice(-limit)) show(summaryOf(one))
    if (fitting.length === 0) console.error('The file has no matching request.')
    return 0
  }
  const running = await findRunning(findBackend(backend))
  const filter = new URLSearchParams({
    ...(failed ? { failed: 'true' } : {}),
    ...(slow === undefined ? {} : { slow: String(slow) }),
    ...(service === undefined ? {} : { service }),
  })
  const listed = await ask(running, `/requests?${filter}&limit=${limit}`)
  if (!listed) return 1
  const summaries = (await listed.json()) as RequestSummary[]
  for (const one of summaries.reverse()) show(one)
  if (summaries.length === 0) console.error(noneText([...filter].length > 0, follow))
  if (!follow) return 0
  const live = await ask(running, `/requests/live?${filter}`)
  if (!live?.body) return 1
  for await (const one of eventsOf(live.body)) show(one)
  return 0
}

/** Standard output stays empty: a program reads it. */
const noneText = (isFiltered: boolean, follows: boolean): string =>
  `No ${isFiltered ? 'matching ' : ''}requests since the backend started${follows ? ' yet' : ''}.`

type ShowRequestOptions = BackendOptions & { readonly output: 'pretty' | 'json'; readonly from?: string }

/** `undock requests show`: prints a request with everything it caused. */
export async function showRequest(id: string, { output, from, ...backend }: ShowRequestOptions): Promise<number> {
  const tree = await findRequest(id, from, backend)
  if (!tree) return 1
  console.log(output === 'json' ? JSON.stringify(tree, null, 2) : treeText(tree))
  return 0
}

/** Finds a request by id in the running backend or a file.
 *  @returns null if there is none, after printing the reason. */
export async function findRequest(
  id: string,
  from: string | undefined,
  backend: BackendOptions,
): Promise<RequestTree | null> {
  if (from !== undefined) return findSaved(id, await readSaved(from))
  const response = await ask(await findRunning(findBackend(backend)), `/requests/${encodeURIComponent(id)}`)
  return response ? ((await response.json()) as RequestTree) : null
}

function findSaved(id: string, trees: readonly RequestTree[]): RequestTree | null {
  const all = (tree: RequestTree): RequestTree[] => [tree, ...tree.children.flatMap(all)]
  const matches = trees.flatMap(all).filter((tree) => tree.id.startsWith(id))
  if (matches.length === 1) return matches[0] ?? null
  console.error(
    matches.length === 0
      ? `The file has no request with the id ${id}.`
      : `Several requests begin with ${id}. Add more characters.`,
  )
  return null
}

/** `undock requests save`: writes all recorded requests to a file, for `--from` or as an HTTP Archive (.har). */
export async function saveRequests(file: string, options: BackendOptions): Promise<number> {
  const running = await findRunning(findBackend(options))
  const response = await ask(running, '/requests/all')
  if (!response) return 1
  const requests = (await response.json()) as RequestTree[]
  const content = file.endsWith('.har') ? harOf(requests, running.url) : { undock: 1, requests }
  await writeFile(file, `${JSON.stringify(content, null, 1)}\n`)
  console.log(`Wrote ${requests.length === 1 ? '1 request' : `${requests.length} requests`} to ${file}.`)
  return 0
}

/** @throws {UsageError} if it wasn't written by `undock requests save`. */
async function readSaved(file: string): Promise<RequestTree[]> {
  try {
    const content = JSON.parse(await readFile(file, 'utf8')) as { undock?: number; requests?: RequestTree[] }
    if (content.undock === 1 && content.requests) return content.requests
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw new UsageError(`Couldn't read ${file}: ${error.message}`)
  }
  throw new UsageError(`${file} was not written by \`undock requests save\`.`)
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<RequestSummary> {
  let text = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)) {
    const events = `${text}${chunk}`.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) if (event.startsWith('data: ')) yield JSON.parse(event.slice('data: '.length))
  }
}
