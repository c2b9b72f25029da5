import { z } from 'zod'
import type { Functions } from '../../functions/index.ts'
import { readJsonBody } from '../../kernel/request-body.ts'
import { ServiceError } from '../../kernel/service-error.ts'

/** Null for a stack without functions of its own. */
export type FunctionControl = Pick<Functions, 'serveWith' | 'known' | 'linesOf'> | null

export const answerFunctions = (functions: FunctionControl): Response => Response.json(functions?.known() ?? [])

/** @throws {ServiceError} 404 */
export function answerFunctionLines(functions: FunctionControl, name = ''): Response {
  const lines = functions?.linesOf(name)
  if (lines) return Response.json(lines)
  throw new ServiceError('unknown_function', 404, `There is no function ${name}`)
}

/** Takes variables rather than a file path, so it can't be used to read files the caller can't. */
const Settings = z.strictObject({
  variables: z.record(z.string(), z.string()).exactOptional(),
  noVerifyJwt: z.boolean().exactOptional(),
})

/** Serves functions with other settings until the client closes the endless response.
 *  @throws {ServiceError} 400, 404 */
export async function serveFunctions(functions: FunctionControl, request: Request): Promise<Response> {
  if (!functions) throw new ServiceError('no_functions', 404, 'This backend has no functions')
  const end = await functions.serveWith(await readJsonBody(request, Settings))
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('serving\n')),
    cancel: end,
  })
  return new Response(body, { headers: { 'content-type': 'text/plain' } })
}
