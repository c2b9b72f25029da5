/** Returns a Postgres type's OpenAPI 2.0 name; null for any JSON. */
export function openApiType(type: string): string | null {
  switch (type) {
    case 'boolean':
      return 'boolean'
    case 'smallint':
    case 'integer':
    case 'bigint':
      return 'integer'
    case 'numeric':
    case 'real':
    case 'double precision':
      return 'number'
    case 'json':
    case 'jsonb':
      return null
    default:
      return type.endsWith('[]') ? 'array' : 'string'
  }
}

const FORMATS = new Map(Object.entries({ smallint: 'int32', integer: 'int32', bigint: 'int64' }))

export const openApiFormat = (type: string): string => FORMATS.get(type) ?? type

export const elementType = (type: string): string => type.slice(0, -2)

/** Returns an array's item type; empty for other types. */
export function itemsOf(type: string): { items?: Record<string, unknown> } {
  if (openApiType(type) !== 'array') return {}
  const element = openApiType(elementType(type))
  return { items: element === null ? {} : { type: element } }
}

/** Omits members that are null, an empty string or an empty list. */
export const withoutEmpty = (members: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(members).filter(
      ([, value]) =>
        value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  )

/** Splits a comment: the first line is the summary, the rest the description. */
export function summaryOf(comment: string | null): { summary: string | null; description: string | null } {
  if (comment === null) return { summary: null, description: null }
  const lineEnd = comment.indexOf('\n')
  if (lineEnd === -1) return { summary: comment, description: null }
  return { summary: comment.slice(0, lineEnd), description: comment.slice(lineEnd).replace(/^\n+/, '') }
}
