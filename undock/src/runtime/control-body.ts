import type { z } from 'zod'
import { readJsonBody } from '../kernel/request-body.ts'

/** Bytes of a request's body; that of a replay holds another one. */
const BODY_LIMIT = 1024 * 1024

/** @throws {ServiceError} 400, 413 */
export const bodyOf = <T>(request: Request, schema: z.ZodType<T>): Promise<T> =>
  readJsonBody(request, schema, BODY_LIMIT)
