import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { ServiceError } from '../../kernel/service-error.ts'
import type { BodyDifference, RecordedBody } from '../../timeline/bodies.ts'
import type { RecordedCaller } from '../../timeline/records.ts'
import type { Replay } from '../../timeline/replay.ts'
import { testFileOf } from '../../timeline/test-file.ts'
import { type BackendOptions, findBackend, UsageError } from '../arguments.ts'
import { ask, findRunning } from '../running.ts'
import { findRequest } from './requests.ts'

type ReplayRequestOptions = BackendOptions & {
  readonly as?: string
  readonly body?: string
  readonly secret: readonly string[]
  readonly from?: string
  readonly output: 'pretty' | 'json'
}

/** `undock requests replay`: repeats a request and prints how the responses differ. @returns 1 if it can't be sent, regardless of
 *  differences. */
export async function replayRequest(
  id: string,
  { as, body, secret, from, output, ...backend }: ReplayRequestOptions,
): Promise<number> {
  if (from !== undefined)
    throw new UsageError("A saved request can't be replayed. Write a test with `undock requests to-test` instead.")
  const options = { as, secrets: secretsOf(secret), ...(body !== undefined && { body: await readBodyFile(body) }) }
  const running = await findRunning(findBackend(backend))
  const response = await ask(running, `/requests/${encodeURIComponent(id)}/replay`, options)
  if (!response) return 1
  const replayed = (await response.json()) as Replay
  console.log(output === 'json' ? JSON.stringify(replayed, null, 2) : replayText(replayed))
  return 0
}

function secretsOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((one) => {
      const equals = one.indexOf('=')
      if (equals < 1) throw new UsageError(`--secret needs PATH=VALUE, such as password=x, not "${one}".`)
      return [one.slice(0, equals), one.slice(equals + 1)]
    }),
  )
}

async function readBodyFile(file: string): Promise<string> {
  if (file === '-') return readText(process.stdin)
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(`Couldn't read ${file}: ${error instanceof Error ? error.message : error}`)
  }
}

function replayText({ before, after, differences }: Replay): string {
  const isSame = differences?.length === 0
  return [
    `Request ${before.request}, sent again as ${after.request}`,
    `Caller  ${callerText(before.caller)}  →  ${callerText(after.caller)}`,
    `Status  ${before.status}  →  ${after.status}`,
    ...(isSame ? ['Body    the same'] : ['Body']),
    ...(differences === null
      ? [`  before: ${bodyText(before.body)}`, `  after:  ${bodyText(after.body)}`]
      : differences.flatMap(differenceLines)),
  ].join('\n')
}

const callerText = (caller: RecordedCaller | null): string =>
  caller === null ? 'nobody' : `${caller.role}${caller.claims.sub ? `, user ${caller.claims.sub}` : ''}`

const bodyText = (body: RecordedBody | null): string =>
  body === null ? 'empty' : 'text' in body ? body.text : `unknown, because ${body.omitted}`

const differenceLines = ({ path, before, after }: BodyDifference): string[] => [
  `  ${path === '' ? 'all of it' : path}`,
  `    - ${before ?? 'nothing'}`,
  `    + ${after ?? 'nothing'}`,
]

type RequestTestOptions = BackendOptions & {
  readonly file?: string
  readonly force: boolean
  readonly from?: string
}

/** `undock requests to-test`: writes a test that repeats a request. @returns 1 if it can't be written. */
export async function writeRequestTest(
  id: string,
  { file: named, force, from, ...backend }: RequestTestOptions,
): Promise<number> {
  const request = await findRequest(id, from, backend)
  if (!request) return 1
  const file = named ?? `request-${request.id.slice(0, 8)}.test.ts`
  if (existsSync(file) && !force) throw new UsageError(`${file} already exists. Overwrite it with --force.`)
  try {
    const content = testFileOf(request)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    console.error(error.message)
    return 1
  }
  console.log(`Wrote ${file}. Edit it as you like, and run it with \`npx vitest run ${file}\`.`)
  return 0
}
