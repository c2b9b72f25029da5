import type { StorageCaller } from '../caller.ts'
import type { StorageDeps } from '../deps.ts'
import type { StorageError } from '../errors.ts'
import type { LoadedService } from '../http/lazy-service.ts'
import { decodePath, S3_PATH as PATH } from '../http/router.ts'
import { authenticate } from './authenticate.ts'
import { bodyOf } from './body.ts'
import { XML_TYPE } from './call.ts'
import { Multipart } from './multipart.ts'
import { operationOf } from './operations.ts'
import { postObject } from './post-object.ts'
import { readSignature, refuseUnsigned } from './signature.ts'
import { errorToXml } from './xml.ts'

/** Serves the S3 protocol (`/storage/v1/s3`) on the same buckets, objects and policies.
 *  @see storage-api src/http/routes/s3 */
export async function createS3(deps: StorageDeps): Promise<LoadedService> {
  const multipart = await Multipart.open(deps)

  async function answer(request: Request, nobody: StorageCaller): Promise<Response> {
    const url = new URL(request.url)
    const query = url.searchParams
    const [bucket = '', ...rest] = decodePath(url.pathname.slice(PATH.length))
    const key = rest.join('/')
    const callerOf = (principal: StorageCaller['principal'], operation: string): StorageCaller => ({
      ...nobody,
      principal,
      authenticated: true,
      operation,
    })
    if (request.method === 'POST' && key === '' && isForm(request)) {
      return postObject(request, bucket, callerOf, deps)
    }
    const signature = readSignature(request, query, deps.clock.now())
    const { principal, signer } = await authenticate(signature, (candidate) => candidate.accepts(request, url), deps)
    refuseUnsigned(request.headers, signature)
    const operation = operationOf(request, { query, bucket, key })
    const caller = callerOf(principal, operation.name)
    const body = bodyOf(request, signature, signer)
    return operation.run({ request, query, bucket, key, caller, body, deps, multipart })
  }

  return {
    handle: answer,
    expire: () => multipart.expire(),
    close: async () => undefined,
  }
}

const isForm = ({ headers }: Request): boolean =>
  headers.get('content-type')?.startsWith('multipart/form-data') === true

export function refuse(error: StorageError, request: Request): Response {
  const resource = new URL(request.url).pathname.slice(PATH.length).split('/').filter(Boolean).join('/')
  const document = errorToXml({ Resource: resource, Code: error.code, Message: error.message })
  return new Response(document, {
    status: error.code === 'InvalidRange' ? error.httpStatus : error.status,
    headers: { ...error.headers, 'content-type': XML_TYPE, 'cache-control': 'no-store' },
  })
}
