import type { SizedLoss } from '../../../../src/console/find-losses.ts'
import type { ScriptEnd, ScriptEvent, ScriptResult, ScriptStatement } from '../../../../src/console/tabs.ts'
import { ApiError, api, apiResponse, type Cell, type Field } from '../../lib/api.ts'

/** @property from The position in the script, from 0. */
export type ErrorMark = { readonly from: number; readonly message: string }

/** Returns a run's errors with their positions in the script. @param start The position at which the run's text begins. */
export const errorMarks = (results: readonly ScriptResult[], start: number): readonly ErrorMark[] =>
  results.flatMap((one) => ('error' in one ? [{ from: start + errorPlace(one), message: one.error.message }] : []))

/** Returns the position in a script, from 0, at which a statement failed. If Postgres gives none, that of the statement's first word. */
export function errorPlace({ start, text, error }: FailedResult): number {
  if (error.position !== undefined) return start + error.position - 1
  return start + (LEADING_COMMENTS.exec(text)?.[0].length ?? 0)
}

const LEADING_COMMENTS = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/

/** Returns the line of a position in a text. @param first The number of the first line. */
export const lineOf = (text: string, place: number, first = 1): number =>
  first + text.slice(0, place).split('\n').length - 1

export type { ScriptResult, SizedLoss }

export type FailedResult = Extract<ScriptResult, { readonly error: unknown }>

/** A script's results. The last one may be incomplete while the script runs. */
export type ScriptOutcome = ScriptEnd & { readonly results: readonly ScriptResult[] }

export type ScriptCall = {
  readonly text: string
  readonly as?: string | undefined
  readonly ending?: 'commit' | 'rollback'
  /** Whether to keep the data for `undock undo` first. */
  readonly snapshot?: boolean
  readonly explain?: boolean
  readonly limit?: number
}

/** Returns what a script would permanently destroy. @throws {ApiError} */
export const findLosses = (tab: string, { text, as, ending }: ScriptCall): Promise<readonly SizedLoss[]> =>
  api(`/tabs/${tab}/losses`, { method: 'POST', body: { text, as, ending } })

/** Milliseconds between updates of an arriving result. */
const PACE = 100

/** Runs a script in the session of a tab. Rows arrive in batches, so that a large result doesn't block the page.
 *  @param onProgress Called with the results so far.
 *  @throws {ApiError} */
export async function runScript(
  tab: string,
  call: ScriptCall,
  onProgress: (outcome: ScriptOutcome) => void = () => undefined,
): Promise<ScriptOutcome> {
  const response = await apiResponse(`/tabs/${tab}`, { method: 'POST', body: call })
  const results: ScriptResult[] = []
  let statement: ScriptStatement = { start: 0, text: '' }
  let fields: readonly Field[] = []
  let rows: (readonly Cell[])[] = []
  let reported = performance.now()
  for await (const line of linesOf(response)) {
    const event = JSON.parse(line) as ScriptEvent
    switch (event.kind) {
      case 'statement':
        statement = { start: event.start, text: event.text }
        fields = []
        rows = []
        break
      case 'rows':
        fields = event.fields
        for (const row of event.rows) rows.push(row)
        break
      case 'done':
        results.push({ ...statement, result: { ...event.result, fields, rows } })
        break
      case 'error':
        results.push({ ...statement, error: event.error })
        break
      case 'end':
        return { ...event, results }
    }
    if (event.kind !== 'rows' || performance.now() - reported < PACE) continue
    reported = performance.now()
    const soFar = { command: '', count: null, isPartial: true, duration: 0, fields, rows: [...rows] }
    onProgress({
      results: [...results, { ...statement, result: soFar }],
      notices: [],
      transaction: null,
      schemaChanges: [],
    })
  }
  throw new ApiError(0, {
    message: 'The response was cut off. If it is not the network, the log of the console says why.',
  })
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const next = await reader?.read()
    if (!next || next.done) return
    const lines = (rest + next.value).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}
