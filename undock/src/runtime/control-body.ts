import { z } from 'zod'
import { readBody } from '../kernel/request-body.ts'
import { ServiceError } from '../kernel/service-error.ts'

/** Bytes of a request's body; that of a replay holds another one. */
const BODY_LIMIT = 1024 * 1024

/** A body of JSON; no body is an empty object.
 *  @throws {ServiceError} 400 */
export async function bodyOf<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  const text = (await readBody(request, BODY_LIMIT)).toString()
  try {
    return schema.parse(text === '' ? {} : JSON.parse(text))
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : 'it is not JSON'
    throw new ServiceError('invalid_body', 400, `The request body cannot be used: ${reason}`)
  }
}
