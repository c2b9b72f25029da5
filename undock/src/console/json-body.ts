import { z } from 'zod'
import { readBody } from '../kernel/request-body.ts'
import { ServiceError } from '../kernel/service-error.ts'

/** Bytes of a request of the console itself. Requests to services have the limits of the service. */
const BODY_LIMIT = 16 * 1024 * 1024

/** The JSON of a request's body. @throws {ServiceError} 400, 413 */
export async function bodyOf<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  const text = (await readBody(request, BODY_LIMIT)).toString()
  try {
    return schema.parse(JSON.parse(text))
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : 'it is not JSON'
    throw new ServiceError('invalid_body', 400, `The request body cannot be used: ${reason}`)
  }
}
