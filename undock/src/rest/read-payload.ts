import type { Db } from '../database/db.ts'
import { declaredLength, discardBody, limitedBytesOf, readCheckedBody } from '../kernel/request-body.ts'
import { payloadReader } from './request/payload.ts'
import { type ApiRequest, columnsParameter, takesPayload } from './request/request.ts'
import type { RestCaller } from './request-context.ts'
import type { Catalog } from './schema-cache/catalog-loader.ts'
import { refuseWriteAhead } from './write-access.ts'

/** Bodies beyond this many bytes (256 KiB) are read piece by piece, between other requests, and only from callers who may
 *  write. */
const LARGE_BODY = 256 * 1024

export type ReadPayloadOptions = {
  readonly db: Db
  readonly caller: RestCaller
  readonly catalog: Catalog
  /** The most bytes that a body may have. */
  readonly limit: number
}

/** Reads the body of a request.
 *  @returns the request with its payload and the columns that the payload names.
 *  @throws PGRST102 for a body that cannot be parsed, 42501 for a large one from a caller who may not write,
 *    {BodyTooLargeError} */
export async function readPayload(
  httpRequest: Request,
  request: ApiRequest,
  { db, caller, catalog, limit }: ReadPayloadOptions,
): Promise<ApiRequest> {
  if (!takesPayload(request)) return request
  try {
    const reader = payloadReader(request.contentType, {
      columns: columnsParameter(request),
      forFunction: request.action.kind === 'call',
      limit,
    })
    const length = declaredLength(httpRequest)
    if (length !== null && length <= Math.min(LARGE_BODY, limit)) {
      reader.read(await readCheckedBody(httpRequest))
    } else {
      await refuseWriteAhead(request, { db, caller, catalog })
      for await (const bytes of limitedBytesOf(httpRequest, limit)) reader.read(bytes)
    }
    return { ...request, ...reader.end() }
  } catch (error) {
    // A client that is still sending would not read the answer.
    await discardBody(httpRequest)
    throw error
  }
}
