import { isJsonObject } from '../kernel/json.ts'

/** Returns the supabase-js call for a Data API request; null if there is none, or it can't express everything. */
export function dataApiCall(recorded: RecordedCall): string | null {
  const { method, path, headers } = recorded
  const profile = method === 'GET' || method === 'HEAD' ? headers['accept-profile'] : headers['content-profile']
  const client = profile === undefined || profile === 'public' ? 'client' : `client.${call('schema', profile)}`
  const [name, ...rest] = path.split('/').filter(Boolean).map(decodeURIComponent)
  const begin =
    name === 'rpc' && rest.length === 1 ? routineCall(rest[0] ?? '', recorded) : tableCall(name, rest, recorded)
  const filters = filterCalls(recorded.query)
  const modifiers = modifierCalls(recorded.query)
  const end = formatCall(headers.accept)
  if (begin === null || filters === null || modifiers === null || end === null) return null
  return [client, ...begin, ...filters, ...returnedCall(recorded, begin), ...modifiers, ...end].join('.')
}

/** The columns that a write or function returns; supabase-js' types require them after the filters. */
function returnedCall({ headers, query }: RecordedCall, begin: readonly string[]): string[] {
  if (begin.some((one) => one.startsWith('select('))) return []
  const columns = query.get('select') ?? undefined
  if (begin.some((one) => one.startsWith('rpc('))) return columns === undefined ? [] : [call('select', columns)]
  return preferenceOf(headers, 'return') === 'representation' ? [call('select', columns)] : []
}

const preferenceOf = ({ prefer }: RecordedCall['headers'], name: string): string | undefined =>
  prefer
    ?.split(',')
    .map((one) => one.trim().split('='))
    .find(([key]) => key === name)?.[1]

function routineCall(name: string, { method, headers, body }: RecordedCall): string[] | null {
  if (method !== 'POST' || (body !== undefined && !isJsonObject(body))) return null
  return [call('rpc', name, body, { count: preferenceOf(headers, 'count') })]
}

function tableCall(name: string | undefined, rest: readonly string[], recorded: RecordedCall): string[] | null {
  if (name === undefined || rest.length > 0) return null
  const { method, headers, query, body } = recorded
  const count = preferenceOf(headers, 'count')
  const from = call('from', name)
  if (method === 'GET' || method === 'HEAD')
    return [from, call('select', query.get('select') ?? '*', { count, head: method === 'HEAD' || undefined })]
  if (method === 'DELETE') return [from, call('delete', { count })]
  if (!isJsonObject(body) && !Array.isArray(body)) return null
  if (method === 'PATCH') return [from, call('update', body, { count })]
  if (method !== 'POST') return null
  const defaultToNull = preferenceOf(headers, 'missing') === 'default' ? false : undefined
  const resolution = preferenceOf(headers, 'resolution')
  if (resolution === undefined) return [from, call('insert', body, { count, defaultToNull })]
  const onConflict = query.get('on_conflict') ?? undefined
  const ignoreDuplicates = resolution === 'ignore-duplicates' || undefined
  return [from, call('upsert', body, { onConflict, ignoreDuplicates, count, defaultToNull })]
}

/** Parameters covered by the calls above; the client adds a bulk insert's columns itself. */
const OWN = new Set(['select', 'columns', 'on_conflict', 'limit', 'offset'])
const NAMED_FILTERS = new Set(['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike'])

const isOrder = (name: string): boolean => name === 'order' || name.endsWith('.order')

function filterCalls(query: URLSearchParams): string[] | null {
  const filters = [...query].filter(([name]) => !OWN.has(name) && !isOrder(name))
  const calls = filters.map(([name, value]) => filterCall(name, value))
  return calls.every((one) => one !== null) ? calls : null
}

function modifierCalls(query: URLSearchParams): string[] | null {
  const orders = [...query].filter(([name]) => isOrder(name)).map(([name, value]) => orderCalls(name, value))
  const [limit, offset] = [query.get('limit'), query.get('offset')]
  if ((offset !== null && limit === null) || !orders.every((one) => one !== null)) return null
  if (limit === null) return orders.flat()
  const page =
    offset === null ? call('limit', Number(limit)) : call('range', Number(offset), Number(offset) + Number(limit) - 1)
  return [...orders.flat(), page]
}

function filterCall(name: string, value: string): string | null {
  if (name === 'or') return /^\(.*\)$/s.test(value) ? call('or', value.slice(1, -1)) : null
  if (/(?:^|\.)(?:or|and|not\.or|not\.and|limit|offset)$/.test(name)) return null
  const [operator = '', ...operand] = value.split('.')
  if (operand.length === 0) return null
  if (operator === 'not') {
    const [inner = '', ...rest] = operand
    return call('not', name, inner, rest.join('.'))
  }
  if (NAMED_FILTERS.has(operator)) return call(operator, name, operand.join('.'))
  const is = { null: null, true: true, false: false }[operand.join('.')]
  if (operator === 'is' && is !== undefined) return call('is', name, is)
  return call('filter', name, operator, operand.join('.'))
}

function orderCalls(name: string, value: string): string[] | null {
  const referencedTable = name === 'order' ? undefined : name.slice(0, -'.order'.length)
  // Quoted names and parenthesized JSON paths also contain commas.
  if (/["()]/.test(value)) return null
  return value.split(',').map((one) => {
    const [column, ...words] = one.split('.')
    const nullsFirst = words.includes('nullsfirst') ? true : words.includes('nullslast') ? false : undefined
    return call('order', column, { ascending: words.includes('desc') ? false : undefined, nullsFirst, referencedTable })
  })
}

function formatCall(accept = ''): string[] | null {
  if (accept === '' || accept === '*/*' || accept === 'application/json') return []
  if (accept === 'application/vnd.pgrst.object+json') return ['single()']
  return accept === 'text/csv' ? ['csv()'] : null
}

/** A request to express as a client call. @property path Without the service's prefix and the query. @property body The parsed JSON body;
 *  undefined without one. */
export type RecordedCall = {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** Formats a value as TypeScript. */
export function literal(value: unknown): string {
  if (typeof value === 'string')
    return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  const fields = Object.entries(value).filter(([, one]) => one !== undefined)
  if (fields.length === 0) return '{}'
  return `{ ${fields.map(([name, one]) => `${fieldName(name)}: ${literal(one)}`).join(', ')} }`
}

// In an object literal `__proto__` would set the prototype.
const fieldName = (name: string): string =>
  name === '__proto__' ? "['__proto__']" : /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name)

/** Formats arguments without trailing undefined values and empty objects. */
function call(name: string, ...given: readonly unknown[]): string {
  const last = given.findLastIndex((one) => one !== undefined && !isEmptyObject(one))
  return `${name}(${given
    .slice(0, last + 1)
    .map(literal)
    .join(', ')})`
}

const isEmptyObject = (value: unknown): boolean =>
  isJsonObject(value) && Object.values(value).every((one) => one === undefined)

/** Returns the supabase-js call for a request to Auth, or null. Calls of a signed-in user use the client's session. */
export function authCall({ method, path, query, body }: RecordedCall): string | null {
  const fields = isJsonObject(body) ? body : {}
  const {
    email,
    phone,
    password,
    data,
    gotrue_meta_security: captcha,
    code_challenge,
    code_challenge_method,
    ...rest
  } = fields
  const captchaToken = isJsonObject(captcha) ? captcha.captcha_token : undefined
  const redirect = query.get('redirect_to') ?? undefined
  const options = (more: object) => ({
    ...(redirect === undefined ? {} : { emailRedirectTo: redirect }),
    captchaToken,
    ...more,
  })
  const made = (() => {
    switch (`${method} ${path}`) {
      case 'POST /signup':
        return email === undefined && phone === undefined
          ? call('signInAnonymously', optional({ options: { captchaToken, data: optional(data) } }))
          : call('signUp', optional({ email, phone, password, options: options({ data: optional(data) }) }))
      case 'POST /token':
        if (query.get('grant_type') === 'password')
          return call('signInWithPassword', optional({ email, phone, password, options: { captchaToken } }))
        return query.get('grant_type') === 'refresh_token'
          ? call('refreshSession', { refresh_token: fields.refresh_token })
          : null
      case 'POST /otp':
        return call(
          'signInWithOtp',
          optional({ email, phone, options: options({ shouldCreateUser: rest.create_user, data: optional(data) }) }),
        )
      case 'POST /recover':
        return call('resetPasswordForEmail', email, { redirectTo: redirect, captchaToken })
      case 'POST /verify':
        return call('verifyOtp', optional({ email, phone, ...rest }))
      case 'GET /user':
        return 'getUser()'
      case 'PUT /user':
        return call('updateUser', optional({ email, phone, password, data, ...rest }))
      case 'POST /logout':
        return call('signOut', { scope: query.get('scope') ?? 'global' })
      default:
        return null
    }
  })()
  return made && `client.auth.${made}`
}

/** Removes empty fields: undefined, null, '' and {}. */
function optional(value: unknown): unknown {
  if (!isJsonObject(value)) return value
  const fields = Object.entries(value).flatMap(([name, one]) => {
    const said = name === 'options' || name === 'data' ? optional(one) : one
    return said === undefined || said === null || said === '' || (isJsonObject(said) && Object.keys(said).length === 0)
      ? []
      : [[name, said]]
  })
  return fields.length === 0 ? undefined : Object.fromEntries(fields)
}

/** Returns the supabase-js call for a request to Storage, or null. Uploaded content isn't recorded, so the call uploads a placeholder of
 *  the same type. */
export function storageCall({ method, path, query, headers, body }: RecordedCall): string | null {
  const segments = path.split('/').filter(Boolean).map(decodeURIComponent)
  const [area, ...rest] = segments
  if (area === 'bucket') return bucketCall(method, rest, body)
  if (area !== 'object' || query.size > 0) return null
  const [first = '', bucket = '', ...names] = rest
  const fields = isJsonObject(body) ? body : {}
  const name = names.join('/')
  if (method === 'POST' && first === 'list') {
    const { prefix, ...options } = fields
    return fileCall(bucket, call('list', prefix, options))
  }
  if (method === 'POST' && first === 'sign' && names.length > 0)
    return fileCall(bucket, call('createSignedUrl', name, fields.expiresIn))
  if (method === 'POST' && (first === 'move' || first === 'copy') && rest.length === 1)
    return fileCall(String(fields.bucketId), call(first, fields.sourceKey, fields.destinationKey))
  const isPlain = !['list', 'sign', 'move', 'copy', 'upload', 'info', 'public', 'authenticated'].includes(first)
  const file = [bucket, ...names].join('/')
  if (method === 'GET' && (first === 'authenticated' || first === 'public'))
    return fileCall(bucket, call('download', name))
  if (!isPlain) return null
  if (method === 'GET') return fileCall(first, call('download', file))
  if (method === 'DELETE' && Array.isArray(fields.prefixes)) return fileCall(first, call('remove', fields.prefixes))
  if (method !== 'POST' && method !== 'PUT') return null
  const type = headers['content-type']?.startsWith('multipart/')
    ? 'text/plain'
    : (headers['content-type'] ?? 'text/plain')
  const options = { contentType: type, upsert: headers['x-upsert'] === 'true' || undefined }
  return fileCall(first, call(method === 'PUT' ? 'update' : 'upload', file, 'content', options))
}

const fileCall = (bucket: string, made: string): string => `client.storage.${call('from', bucket)}.${made}`

function bucketCall(method: string, [id, action]: readonly string[], body: unknown): string | null {
  const {
    id: made,
    name: _,
    file_size_limit: fileSizeLimit,
    allowed_mime_types: allowedMimeTypes,
    ...options
  } = isJsonObject(body) ? body : {}
  const given = {
    ...options,
    fileSizeLimit: fileSizeLimit ?? undefined,
    allowedMimeTypes: allowedMimeTypes ?? undefined,
  }
  if (method === 'GET') return `client.storage.${id === undefined ? 'listBuckets()' : call('getBucket', id)}`
  if (method === 'POST' && id === undefined) return `client.storage.${call('createBucket', made, given)}`
  if (method === 'POST' && action === 'empty') return `client.storage.${call('emptyBucket', id)}`
  if (method === 'PUT') return `client.storage.${call('updateBucket', id, given)}`
  return method === 'DELETE' ? `client.storage.${call('deleteBucket', id)}` : null
}
