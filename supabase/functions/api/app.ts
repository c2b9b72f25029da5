import { OpenAPIHono } from '@hono/zod-openapi'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { cors } from 'hono/cors'
import { etag, RETAINED_304_HEADERS } from 'hono/etag'
import { HTTPException } from 'hono/http-exception'
import { authenticate, type Env, refuseKeyInAddress } from './authentication.ts'
import { addComments } from './comments.ts'
import { addDocuments } from './documents.ts'
import { addLibrary } from './library.ts'
import { addNewDocuments, MAX_REQUEST_FILE_BYTES } from './new-documents.ts'
import { describeRefusals } from './operation.ts'
import { Problem, problemOf } from './problem.ts'
import { addSearch } from './search.ts'

const MAX_BODY_BYTES = 1_572_864
/** Bytes that a multipart form adds to the file. */
const FORM_OVERHEAD = 65_536
const LIMIT_HEADERS = ['RateLimit', 'RateLimit-Policy', 'Retry-After']

/** @param address The API's own address, for its OpenAPI description. */
export function createApp(address: string): Hono {
  const api = new OpenAPIHono<Env>({
    defaultHook: (result) => {
      if (result.success) return
      const errors = result.error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }))
      throw new Problem(
        'invalid_request',
        'The request does not have the form that the description of the API gives.',
        { errors },
      )
    },
  })

  // Browsers may call it with a pasted key; there are no cookies to abuse.
  api.use(
    cors({
      origin: '*',
      allowMethods: ['GET', 'POST', 'PATCH', 'DELETE', 'OPTIONS'],
      allowHeaders: [
        ...['Authorization', 'Content-Type', 'Idempotency-Key', 'If-None-Match'],
        ...['Mcp-Protocol-Version', 'Mcp-Session-Id', 'Last-Event-ID'],
      ],
      exposeHeaders: [...LIMIT_HEADERS, 'ETag', 'Idempotency-Replayed'],
      maxAge: 86_400,
    }),
  )
  api.use(refuseKeyInAddress)
  api.openAPIRegistry.registerComponent('securitySchemes', 'key', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'carrel_…',
    description: 'A key that an owner of the library created under Settings → API keys.',
  })
  describeRefusals(api)
  api.get('/openapi.json', etag(), (c) => c.json(descriptionOf(api, address)))

  api.use(authenticate)
  api.get('*', etag({ retainedHeaders: [...RETAINED_304_HEADERS, ...LIMIT_HEADERS.map((name) => name.toLowerCase())] }))
  api.use(checkMediaType)
  api.use(
    '/documents/file',
    limitBody(
      MAX_REQUEST_FILE_BYTES + FORM_OVERHEAD,
      'The file is larger than 20 MB. Use createUpload: POST /uploads.',
    ),
  )
  const limitJson = limitBody(MAX_BODY_BYTES, 'The body of the request is larger than 1.5 MB.')
  api.use((c, next) => (c.req.path.endsWith('/documents/file') ? next() : limitJson(c, next)))
  addNewDocuments(api)
  addDocuments(api)
  addComments(api)
  addSearch(api)
  addLibrary(api)

  const app = new Hono()
  api.all('/mcp', async (c) => {
    const { answerMcp } = await import('./mcp.ts')
    return await answerMcp(c.req.raw, (path, init) => app.request(`/api/v1${path}`, init))
  })
  app.route('/api/v1', api)
  app.notFound((c) => {
    throw new Problem(
      'not_found',
      `There is no operation ${c.req.method} ${c.req.path}. The operations are described in ${address}/openapi.json.`,
    )
  })
  app.onError((error) => {
    const problem = error instanceof HTTPException ? fromHono(error) : problemOf(error)
    if (problem.code === 'internal_error' || problem.code === 'try_again') console.error(problem.cause)
    return problem.toResponse()
  })
  return app
}

const limitBody = (maxSize: number, detail: string) =>
  bodyLimit({
    maxSize,
    onError: () => {
      throw new Problem('too_large', detail)
    },
  })

/** A body of another type would otherwise be treated as empty. */
const checkMediaType: Parameters<OpenAPIHono<Env>['use']>[1] = async (c, next) => {
  if (c.req.method !== 'POST' && c.req.method !== 'PATCH') return next()
  const expected = c.req.path.endsWith('/documents/file') ? 'multipart/form-data' : 'application/json'
  const contentType = c.req.header('Content-Type')
  if (contentType === undefined && c.req.path.endsWith('/restore')) return next()
  if (contentType?.split(';')[0]?.trim().toLowerCase() !== expected)
    throw new Problem('unsupported_media_type', `Send the body as ${expected}.`)
  return next()
}

/** Hono's own errors, such as invalid JSON. */
const fromHono = ({ status, message, cause }: HTTPException): Problem =>
  status < 500
    ? new Problem('invalid_request', `${message}. Send what the description of the API asks for.`)
    : problemOf(cause)

function descriptionOf(api: OpenAPIHono<Env>, address: string) {
  return api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Carrel',
      version: '1.0.0',
      description:
        'The documents of one library, for programs. Each key belongs to a library and acts as the owner who created it.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: address }],
    tags: ['Library', 'Documents', 'Collections and tags', 'Comments', 'Search'].map((name) => ({ name })),
  })
}
