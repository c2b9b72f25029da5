import { createHash, createHmac } from 'node:crypto'
import { z } from 'zod'
import type { RawTable } from '../../config/values.ts'
import { KeptDataError } from '../../database/project/project-database.ts'
import { parseJson, readBody, readJsonBody } from '../../kernel/request-body.ts'
import { ServiceError } from '../../kernel/service-error.ts'
import { createSqlClient } from '../../mcp/sql.ts'
import { withClient } from '../database-target.ts'
import {
  AUTH_FIELDS,
  applyHosted,
  DATA_API_FIELDS,
  type Field,
  hostedSettings,
  isSecret,
  STORAGE_FIELDS,
} from './fields.ts'
import { type DeployedFunction, type DeployedProject, FunctionMetadata, functionOf } from './project.ts'

type Api = {
  readonly project: DeployedProject
  /** Where the CLI reaches the database, on port 5432. */
  readonly poolerHost: string
  readonly tell: (line: string) => void
}

type Call = Api & {
  readonly request: Request
  /** Relative to the project's. */
  readonly path: string
  readonly query: URLSearchParams
  /** The function in the path, or empty. */
  readonly slug: string
  /** Functions uploaded with `bundleOnly`, which the next bulk update serves. */
  readonly bundles: Map<string, DeployedFunction>
}

type Handler = (call: Call) => object | Promise<object>

/** The routes of the Management API that the Supabase CLI calls to deploy a project, without `/v1/projects/{ref}`. Those of POST respond
 *  with 201.
 *  @see https://api.supabase.com/api/v1 */
export const MANAGEMENT_ROUTES: Readonly<Record<string, Handler>> = {
  'GET /': projectOf,
  'GET /api-keys': apiKeys,
  'GET /billing/addons': () => ({ selected_addons: [], available_addons: [] }),
  'GET /branches': () => [],
  'POST /cli/login-role': loginRole,
  'GET /config': wholeConfig,
  'GET /config/auth': auth,
  'PATCH /config/auth': changes(() => AUTH_FIELDS),
  'GET /config/database/pooler': poolers,
  'GET /config/database/postgres': ({ project }) => project.stack.config.db.settings,
  'PUT /config/database/postgres': changes(databaseFields),
  'GET /config/storage': ({ project }) => hostedSettings(STORAGE_FIELDS, project.stack.config),
  'PATCH /config/storage': changes(() => STORAGE_FIELDS),
  'POST /database/query': runQuery,
  'POST /database/query/read-only': readQuery,
  'GET /functions': ({ project }) => Object.values(project.deployed.functions),
  'PUT /functions': serveBundles,
  'POST /functions/deploy': deployFunction,
  'DELETE /functions/{slug}': deleteFunction,
  'GET /postgrest': ({ project }) => hostedSettings(DATA_API_FIELDS, project.stack.config),
  'PATCH /postgrest': changes(() => DATA_API_FIELDS),
  'GET /secrets': secretDigests,
  'POST /secrets': setSecrets,
  'DELETE /secrets': deleteSecrets,
}

/** Returns the handler of the Management API for one project. Errors have the API's shape, `{ message }`. */
export function createManagementApi(api: Api): (request: Request) => Promise<Response> {
  const bundles: Call['bundles'] = new Map()
  async function answer(request: Request): Promise<object> {
    const { pathname, searchParams } = new URL(request.url)
    const { token, ref } = api.project.deployed
    if (request.headers.get('authorization') !== `Bearer ${token}`)
      throw new ServiceError('token', 401, 'Unauthorized: use the SUPABASE_ACCESS_TOKEN that undock hosted printed')
    if (`${request.method} ${pathname}` === 'GET /v1/projects') return [projectOf(api)]
    const [, asked, path = '/'] = /^\/v[12]\/projects\/([^/]+)(\/.+)?$/.exec(pathname) ?? []
    const [, slug = ''] = /^\/functions\/((?!deploy$)[^/]+)$/.exec(path) ?? []
    const handler = MANAGEMENT_ROUTES[`${request.method} ${slug ? '/functions/{slug}' : path}`]
    if (asked === undefined || handler === undefined)
      throw new ServiceError('route', 501, `undock hosted does not support ${request.method} ${pathname}`)
    if (asked !== ref) throw new ServiceError('ref', 404, `There is no project ${asked}: this one is ${ref}`)
    return handler({ ...api, request, path, query: searchParams, slug, bundles })
  }
  return async (request) => {
    let status = request.method === 'POST' ? 201 : 200
    const body = await answer(request).catch((error: Error) => {
      status =
        error instanceof ServiceError ? error.status : /^(?:(?:Config|User|Zod)E|e)rror$/.test(error.name) ? 400 : 500
      return { message: error instanceof z.ZodError ? z.prettifyError(error) : error.message }
    })
    api.tell(
      `${request.method} ${new URL(request.url).pathname} ${status}${status < 400 ? '' : `: ${JSON.stringify(body)}`}`,
    )
    return Response.json(body, { status })
  }
}

function projectOf({ project: { deployed, stack } }: Api): object {
  const { ref, createdAt } = deployed
  const major = String(stack.config.db.major_version)
  return {
    id: ref,
    ref,
    name: 'undock hosted',
    organization_id: 'undock',
    organization_slug: 'undock',
    region: 'local',
    created_at: createdAt,
    status: 'ACTIVE_HEALTHY',
    database: { host: new URL(stack.dbUrl).hostname, version: major, postgres_engine: major, release_channel: 'ga' },
  }
}

function apiKeys({ project }: Call): object[] {
  const { anon, serviceRole, publishable, secret } = project.stack.identity.keys
  return [
    { id: 'anon', name: 'anon', type: 'legacy', api_key: anon },
    { id: 'service_role', name: 'service_role', type: 'legacy', api_key: serviceRole },
    { id: 'publishable', name: 'default', type: 'publishable', api_key: publishable },
    { id: 'secret', name: 'default', type: 'secret', api_key: secret, secret_jwt_template: { role: 'service_role' } },
  ]
}

function poolers({ project: { deployed, stack }, poolerHost }: Call): object[] {
  const url = `postgresql://postgres:[YOUR-PASSWORD]@${poolerHost}:5432/postgres`
  const { default_pool_size, max_client_conn } = stack.config.db.pooler
  const login = {
    db_user: 'postgres',
    db_host: poolerHost,
    db_port: 5432,
    db_name: 'postgres',
    is_using_scram_auth: true,
  }
  const limits = { default_pool_size, max_client_conn, pool_mode: 'session' }
  const urls = { connection_string: url, connectionString: url }
  return [{ identifier: deployed.ref, database_type: 'PRIMARY', ...login, ...urls, ...limits }]
}

/** The platform creates a role for each login; here it is `postgres`. */
function loginRole({ project }: Call): object {
  const { username, password } = new URL(project.stack.dbUrl)
  return { role: username, password, ttl_seconds: 300 }
}

/** Returns secrets as their HMAC, by which the CLI notices a change. */
function auth({ project: { deployed, stack } }: Call): RawTable {
  const settings = hostedSettings(AUTH_FIELDS, stack.config, deployed.unused)
  for (const field of AUTH_FIELDS) {
    const value = settings[field.name]
    if (isSecret(field) && typeof value === 'string' && value !== '')
      settings[field.name] = createHmac('sha256', deployed.ref).update(value).digest('hex')
  }
  return settings
}

function wholeConfig(call: Call): object {
  const { deployed, stack } = call.project
  const { db, storage } = stack.config
  const features = {
    image_transformation: { enabled: storage.image_transformation?.enabled ?? false },
    s3_protocol: { enabled: storage.s3_protocol.enabled },
  }
  const attributes = {
    database: { major_version: db.major_version, postgres_settings: db.settings },
    auth: auth(call),
    api: hostedSettings(DATA_API_FIELDS, call.project.stack.config),
    storage: { file_size_limit: storage.file_size_limit, features },
  }
  return { data: { type: 'project_config', id: deployed.ref, attributes } }
}

const Changes = z.record(z.string().regex(/^[A-Za-z]\w*$/), z.unknown())

/** Returns the handler that changes settings. The CLI needs Auth's and the Data API's in the response. */
function changes(fieldsOf: (given: RawTable) => readonly Field[]): Handler {
  return async (call) => {
    const changes = await readJsonBody(call.request, Changes)
    const fields = fieldsOf(changes)
    const hasKey = (name: string) => fields.some((field) => field.key && field.name.split('.')[0] === name)
    const unused = Object.entries(changes).filter(([name]) => !hasKey(name))
    const changing = call.project.change((draft) => {
      draft.settings = applyHosted(draft.settings, fields, changes)
      Object.assign(draft.unused, Object.fromEntries(unused))
    })
    await changing.catch((error: Error) => {
      throw error instanceof KeptDataError
        ? new ServiceError(
            'settings',
            400,
            `Postgres does not start with these settings: ${error.cause instanceof Error ? error.cause.message : ''}`,
          )
        : error
    })
    const names = unused.map(([name]) => name).join(', ')
    if (names) call.tell(`These settings are stored, and have no effect here: ${names}`)
    return MANAGEMENT_ROUTES[`GET ${call.path}`]?.(call) ?? {}
  }
}

const Query = z.object({ query: z.string() })

/** Runs SQL as `postgres`, in one transaction. @returns the rows of the last statement. */
async function runQuery({ request, project }: Call): Promise<object> {
  const { query } = await readJsonBody(request, Query)
  return withClient(project.stack.dbUrl, async (client) => {
    await client.query('begin')
    const results = [await client.query(query)].flat()
    await client.query('commit')
    return results.at(-1)?.rows ?? []
  })
}

/** Runs one statement that can only read. */
async function readQuery({ request, project }: Call): Promise<object> {
  return createSqlClient(project.stack.dbUrl).read((await readJsonBody(request, Query)).query)
}

function databaseFields(given: RawTable): Field[] {
  const names = Object.keys(given).filter((name) => name !== 'restart_database')
  return names.map((name) => ({ name, key: `db.settings.${name}`, default: null }))
}

function secretDigests({ project }: Call): object[] {
  const digest = (value: string): string => createHash('sha256').update(value).digest('hex')
  return Object.entries(project.deployed.secrets).map(([name, value]) => ({ name, value: digest(value) }))
}

const Secret = z.object({ name: z.string().regex(/^(?!SUPABASE_|__proto__$)[A-Za-z_]\w*$/), value: z.string() })

async function setSecrets({ request, project }: Call): Promise<object> {
  const body = await readJsonBody(request, z.array(Secret))
  await project.change(({ secrets }) => {
    for (const { name, value } of body) secrets[name] = value
  })
  return []
}

async function deleteSecrets({ request, project }: Call): Promise<object> {
  const names = await readJsonBody(request, z.array(z.string()))
  await project.change(({ secrets }) => {
    for (const name of names) delete secrets[name]
  })
  return {}
}

/** The maximum size of a function's sources in bytes. */
const MAX_UPLOAD = 64 * 1024 * 1024

async function deployFunction({ request, query, project, bundles }: Call): Promise<object> {
  const type = request.headers.get('content-type') ?? ''
  const body = new Uint8Array(await readBody(request, MAX_UPLOAD))
  const sent = new Response(body, { headers: { 'content-type': type } })
  const form = await sent.formData().catch(() => {
    throw new ServiceError('upload', 400, 'The request body is not multipart/form-data')
  })
  const metadata = parseJson(String(form.get('metadata')), FunctionMetadata)
  const files = form.getAll('file').filter((one) => one instanceof File)
  const stored = await project.storeFunction(query.get('slug') ?? metadata.name ?? '', metadata, files)
  if (query.get('bundleOnly') === 'true') bundles.set(stored.slug, stored)
  else
    await project.change(({ functions }) => {
      functions[stored.slug] = stored
    })
  return stored
}

async function serveBundles({ request, project, bundles }: Call): Promise<object> {
  const given = await readJsonBody(request, z.array(z.object({ slug: z.string() })))
  const slugs = given.map(({ slug }) => slug)
  await project.change(({ functions }) => {
    for (const slug of slugs) {
      const next = bundles.get(slug) ?? functionOf(functions, slug)
      if (!next) throw new ServiceError('function', 404, `The function ${slug} was not uploaded`)
      functions[slug] = next
    }
  })
  for (const slug of slugs) bundles.delete(slug)
  return { functions: slugs.map((slug) => project.deployed.functions[slug]) }
}

async function deleteFunction({ slug, project }: Call): Promise<object> {
  await project.change(({ functions }) => {
    if (!functionOf(functions, slug)) throw new ServiceError('function', 404, 'Function not found')
    delete functions[slug]
  })
  return {}
}
