import { queryOptions } from '@tanstack/react-query'
import type { FunctionReply } from '../../../../src/console/calls.ts'
import type { FunctionLine } from '../../../../src/functions/function-record.ts'
import type { FunctionState } from '../../../../src/functions/runtime.ts'
import { apiResponse, service } from '../../lib/api.ts'

export type { FunctionLine, FunctionReply, FunctionState }

/** Milliseconds between checks for changes made elsewhere. */
const INTERVAL = 2_000

export const functionsQuery = queryOptions({
  queryKey: ['functions'],
  refetchInterval: INTERVAL,
  queryFn: ({ signal }) => service<FunctionState[]>('/undock/v1/functions', { signal }),
})

export const linesQuery = (name: string) =>
  queryOptions({
    queryKey: ['functions', name, 'lines'],
    refetchInterval: INTERVAL,
    queryFn: ({ signal }) =>
      service<FunctionLine[]>(`/undock/v1/functions/${encodeURIComponent(name)}/lines`, { signal }),
  })

export type FunctionRequest = {
  readonly path: string
  readonly method: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string | null
  /** A role, a user, or `none` for no key; undefined for the secret key. */
  readonly as: string | undefined
}

/** The maximum number of characters shown of a response. */
const MAX_SHOWN_LENGTH = 500_000

/** Calls a function.
 *  @param onText Called with the body so far, as it arrives. @throws {ApiError} */
export async function callFunction(
  call: FunctionRequest,
  signal: AbortSignal,
  onReply: (reply: FunctionReply) => void,
  onText: (text: string) => void,
): Promise<void> {
  const response = await apiResponse('/functions/call', { method: 'POST', body: call, signal })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let isHeadKnown = false
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done) return
    text += value
    const end = isHeadKnown ? -1 : text.indexOf('\n')
    if (!isHeadKnown && end === -1) continue
    if (!isHeadKnown) {
      onReply(JSON.parse(text.slice(0, end)) as FunctionReply)
      text = text.slice(end + 1)
      isHeadKnown = true
    }
    onText(text.slice(0, MAX_SHOWN_LENGTH))
    if (text.length > MAX_SHOWN_LENGTH) {
      await reader?.cancel()
      return
    }
  }
}
