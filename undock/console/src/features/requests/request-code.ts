import type { RequestTree } from './queries.ts'

type Recorded = Pick<RequestTree, 'method' | 'path' | 'headers' | 'caller'>

const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
const scriptQuoted = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

/** Headers about the client, not the request. */
const OF_SENDER = ['origin', 'user-agent', 'x-client-info']

/** Returns the request as a curl command. Tokens and bodies aren't recorded, so variables and a file replace them. @param url The API's
 *  URL. @param publishableKey The key for apps. */
export function asCurl({ method, path, headers, caller }: Recorded, url: string, publishableKey: string): string {
  const isUser = caller?.claims.sub !== undefined
  // The shell expands variables in double quotes.
  const key =
    caller?.role === 'service_role' && !isUser
      ? '"apikey: $SUPABASE_SECRET_KEY"'
      : shellQuoted(`apikey: ${publishableKey}`)
  const hasBody = ['POST', 'PUT', 'PATCH'].includes(method)
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shellQuoted(url + path)}`,
    `-H ${key}`,
    ...(isUser ? ['-H "Authorization: Bearer $ACCESS_TOKEN"'] : []),
    ...Object.entries(headers)
      .filter(([name]) => !OF_SENDER.includes(name))
      .map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...(hasBody ? ['--data @body.json'] : []),
  ].join(' \\\n  ')
}

/** Empty for malformed percent-encoding, which any client can send. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

const FILTERS = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike']

/** Returns a read of the Data API as supabase-js code; null for other requests. */
export function asClientCall({ method, path, headers }: Recorded): string | null {
  const [, name = '', search = ''] = /^\/rest\/v1\/([^/?]+)(?:\?(.*))?$/.exec(path) ?? []
  const table = decoded(name)
  if (method !== 'GET' || table === '' || table === 'rpc') return null
  const schema = headers['accept-profile']
  const parts = [`.from(${scriptQuoted(table)})`]
  const parameters = new URLSearchParams(search)
  parts.push(`.select(${scriptQuoted(parameters.get('select') ?? '*')})`)
  for (const [name, value] of parameters) {
    if (name === 'select') continue
    const part = modifier(name, value)
    if (part === null) return null
    parts.push(part)
  }
  return `await supabase${schema === undefined || schema === 'public' ? '' : `.schema(${scriptQuoted(schema)})`}\n  ${parts.join('\n  ')}`
}

function modifier(name: string, value: string): string | null {
  if (name === 'limit') return `.limit(${Number(value)})`
  if (name === 'order') {
    const keys = value.split(',').map((one) => /^([\w ]+)(?:\.(asc|desc))?$/.exec(one))
    if (keys.some((key) => key === null)) return null
    return keys
      .map((key) => `.order(${scriptQuoted(key?.[1] ?? '')}, { ascending: ${key?.[2] !== 'desc'} })`)
      .join('\n  ')
  }
  if (name === 'or') return `.or(${scriptQuoted(value.replace(/^\((.*)\)$/s, '$1'))})`
  if (name === 'offset' || name === 'and' || name.startsWith('not.')) return null
  const dot = value.indexOf('.')
  if (dot === -1) return null
  const [operator, operand] = [value.slice(0, dot), value.slice(dot + 1)]
  return FILTERS.includes(operator)
    ? `.${operator}(${scriptQuoted(name)}, ${scriptQuoted(operand)})`
    : `.filter(${scriptQuoted(name)}, ${scriptQuoted(operator)}, ${scriptQuoted(operand)})`
}
