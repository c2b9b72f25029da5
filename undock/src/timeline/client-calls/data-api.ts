import { call, isObject, type RecordedCall } from './code.ts'

/** The call of supabase-js that makes a request to the Data API; null where there is none, or where it says less. */
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

/** The columns that a write or a function gives back; the types of supabase-js want them after the filters. */
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
  if (method !== 'POST' || (body !== undefined && !isObject(body))) return null
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
  if (!isObject(body) && !Array.isArray(body)) return null
  if (method === 'PATCH') return [from, call('update', body, { count })]
  if (method !== 'POST') return null
  const defaultToNull = preferenceOf(headers, 'missing') === 'default' ? false : undefined
  const resolution = preferenceOf(headers, 'resolution')
  if (resolution === undefined) return [from, call('insert', body, { count, defaultToNull })]
  const onConflict = query.get('on_conflict') ?? undefined
  const ignoreDuplicates = resolution === 'ignore-duplicates' || undefined
  return [from, call('upsert', body, { onConflict, ignoreDuplicates, count, defaultToNull })]
}

/** Parameters that the calls above write themselves; the client names the columns of a bulk insert. */
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
  // Commas are also inside of quoted names and of JSON paths in parentheses.
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
