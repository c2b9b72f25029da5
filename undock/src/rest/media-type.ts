/** Media types known to the Data API; others are kept by name. */
export type MediaType =
  | { readonly kind: 'named'; readonly name: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'strippedArray' }
  | { readonly kind: 'object'; readonly stripNulls: boolean }
  | {
      readonly kind: 'plan'
      readonly of: MediaType
      readonly format: 'text' | 'json'
      readonly options: readonly PlanOption[]
    }

type PlanOption = 'analyze' | 'verbose' | 'settings' | 'buffers' | 'wal'

const PLAN_OPTIONS: readonly PlanOption[] = ['analyze', 'verbose', 'settings', 'buffers', 'wal']

const WELL_KNOWN = new Set([
  'application/json',
  'application/geo+json',
  'text/csv',
  'text/plain',
  'text/xml',
  'application/openapi+json',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
])

const named = (name: string): MediaType => ({ kind: 'named', name })
export const JSON_TYPE: MediaType = named('application/json')
export const OPENAPI_TYPE: MediaType = named('application/openapi+json')
const ANY_TYPE: MediaType = { kind: 'any' }

export const isNamed = (media: MediaType, ...names: readonly string[]): boolean =>
  media.kind === 'named' && names.includes(media.name)

/** Parses a media type with its parameters; invalid text becomes a name. */
export function parseMediaType(text: string): MediaType {
  const { name, parameters } = tokenize(text)
  const stripNulls = parameters.get('nulls') === 'stripped'
  switch (name) {
    case '*/*':
      return ANY_TYPE
    case 'application/vnd.pgrst.object':
    case 'application/vnd.pgrst.object+json':
      return { kind: 'object', stripNulls }
    case 'application/vnd.pgrst.array':
    case 'application/vnd.pgrst.array+json':
      return stripNulls ? { kind: 'strippedArray' } : JSON_TYPE
    case 'application/vnd.pgrst.plan':
    case 'application/vnd.pgrst.plan+text':
    case 'application/vnd.pgrst.plan+json': {
      const options = (parameters.get('options') ?? '').split('|')
      return {
        kind: 'plan',
        of: parseMediaType(parameters.get('for') ?? 'application/json'),
        format: name.endsWith('+json') ? 'json' : 'text',
        options: PLAN_OPTIONS.filter((option) => options.includes(option)),
      }
    }
    default:
      return named(WELL_KNOWN.has(name) ? name : text)
  }
}

const PARAMETER = /^\s*;\s*([\p{L}\p{N}-]+)\s*=\s*(?:"([^"]*)"|([\p{L}\p{N}|-]+))/u

function tokenize(text: string): { name: string; parameters: ReadonlyMap<string, string> } {
  const [head = ''] = /^[\p{L}\p{N}.*]+\/[\p{L}\p{N}.*+-]+/u.exec(text) ?? []
  if (head === '') return { name: text, parameters: new Map() }
  const parameters = new Map<string, string>()
  let rest = text.slice(head.length)
  for (let match = PARAMETER.exec(rest); match; match = PARAMETER.exec(rest)) {
    parameters.set((match[1] ?? '').toLowerCase(), match[2] ?? match[3] ?? '')
    rest = rest.slice(match[0].length)
  }
  return { name: head.toLowerCase(), parameters }
}

/** Orders an Accept header by quality, then specificity: more parameters, fewer wildcards. */
export function parseAccept(header: string | null): MediaType[] {
  if (header === null) return [ANY_TYPE]
  return header
    .replaceAll(' ', '')
    .split(',')
    .map((item) => {
      const [text = '', quality] = item.split(';q=')
      const specificity = (text.match(/;/g)?.length ?? 0) - (text.match(/\*/g)?.length ?? 0)
      return { text, quality: quality === undefined ? 1 : Number.parseFloat(quality) || 0, specificity }
    })
    .sort((one, other) => other.quality - one.quality || other.specificity - one.specificity)
    .map(({ text }) => parseMediaType(text))
}

/** Returns the name for messages and Content-Type, without charset. */
export function mediaTypeName(media: MediaType): string {
  switch (media.kind) {
    case 'named':
      return media.name
    case 'any':
      return '*/*'
    case 'strippedArray':
      return 'application/vnd.pgrst.array+json;nulls=stripped'
    case 'object':
      return `application/vnd.pgrst.object+json${media.stripNulls ? ';nulls=stripped' : ''}`
    case 'plan': {
      const options = media.options.length === 0 ? '' : `; options=${media.options.join('|')}`
      return `application/vnd.pgrst.plan+${media.format}; for="${mediaTypeName(media.of)}"${options}`
    }
  }
}

export function contentType(media: MediaType): string {
  const bare = media.kind === 'named' && (media.name === 'application/octet-stream' || !WELL_KNOWN.has(media.name))
  return `${mediaTypeName(media)}${bare ? '' : '; charset=utf-8'}`
}
