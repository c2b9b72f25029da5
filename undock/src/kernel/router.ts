/** Who may call a route. The listener checks it in one place, before the handler, with its own errors. */
export const ACCESS = {
  anyone:
    'Anyone: nothing there is secret, or the URL or the body is checked (a signature, a one-time code, a password)',
  optional: 'Anyone; a valid key or token identifies the caller, and anything else is ignored',
  role: 'Anyone, with the rights of their role in the database; an invalid key or token is refused',
  key: 'Anyone with a key or token of the project',
  socket: 'Anyone with a key or token of the project in the URL of the connection',
  function: 'Anyone with a key or token of the project, and everyone if `verify_jwt` of the function is false',
  bearer: 'A signed-in user, or an OAuth client that the user authorized',
  user: 'A signed-in user',
  member: 'A signed-in user who is not anonymous',
  service: 'Anyone with the secret key of the project or a token of the service role',
  program: 'Programs on this machine, and from elsewhere anyone with the secret key',
  signature: 'Anyone who signs the request with an S3 access key',
  machine: 'Anyone who calls this machine by its own name, which rules out DNS rebinding',
  ownPage: 'The same, but no web page of another machine',
  session: 'A page of the console, in a browser that has its session',
  frame: 'The same, also in a frame of the page',
  change: 'The same as `session`; for a database that undock does not run, a person must have allowed changes',
} as const

export type Access = keyof typeof ACCESS

/** Marks WebSocket handshakes in a route table. HTTP requests can't have this method, and `*` excludes it. */
export const WEBSOCKET = 'WEBSOCKET'

/** The fields of a service's route table that the router reads. Services add their own: body schema, limits, handler. */
export type RoutePattern<A extends Access = Access> = {
  /** One method such as `GET`, several as `GET|HEAD`, or `*` for any. */
  readonly method: string
  /** Literal segments, `{name}` for one segment, and a last `{name...}` for one or more. */
  readonly path: string
  readonly access: A
}

type RouteMatch<Row> =
  | { readonly kind: 'found'; readonly route: Row; readonly params: Readonly<Record<string, string>> }
  /** The path exists, but only with the methods in `allow`. */
  | { readonly kind: 'wrongMethod'; readonly allow: readonly string[] }
  | { readonly kind: 'notFound' }

export type Router<Row> = {
  /** Finds the first matching row. A trailing slash's empty segment is always accepted.
   *  @param segments After the service's prefix, not decoded: upstream's servers treat `%2F` differently. */
  find(method: string, segments: readonly string[]): RouteMatch<Row>
}

/** Compiles a route table. Rows are tried in order, so literal paths must precede patterns. */
export function createRouter<Row extends RoutePattern>(rows: readonly Row[]): Router<Row> {
  const compiled = rows.map(compile)
  const startsWith = ({ parts: [first] }: CompiledRoute<Row>, segment: string): boolean =>
    first === undefined || first.isParam || first.text === segment
  const startingWith = (segment: string) => compiled.filter((route) => startsWith(route, segment))
  const byFirstSegment = new Map(
    compiled.flatMap(({ parts: [first] }) =>
      first && !first.isParam ? [[first.text, startingWith(first.text)] as const] : [],
    ),
  )
  const others = compiled.filter(({ parts: [first] }) => first === undefined || first.isParam)

  return {
    find(method, segments) {
      const allow: string[] = []
      for (const candidate of byFirstSegment.get(segments[0] ?? '') ?? others) {
        if (!matches(candidate, segments)) continue
        const { row, methods } = candidate
        if (methods?.includes(method) ?? method !== WEBSOCKET)
          return { kind: 'found', route: row, params: paramsOf(candidate, segments) }
        allow.push(...(methods ?? []).filter((one) => one !== WEBSOCKET))
      }
      return allow.length > 0 ? { kind: 'wrongMethod', allow: [...new Set(allow)] } : { kind: 'notFound' }
    },
  }
}

/** Splits a path after a prefix, without decoding. */
export const segmentsOf = (pathname: string, prefix = ''): string[] => pathname.slice(prefix.length).split('/').slice(1)

/** Splits and percent-decodes a path that begins with a slash; null if malformed. */
export function decodeSegments(path: string): string[] | null {
  try {
    return segmentsOf(path).map(decodeURIComponent)
  } catch {
    return null
  }
}

type Part = { readonly text: string; readonly isParam: boolean }

type CompiledRoute<Row> = {
  readonly row: Row
  readonly methods: readonly string[] | null
  readonly parts: readonly Part[]
  readonly rest: string | null
}

function compile<Row extends RoutePattern>(row: Row): CompiledRoute<Row> {
  const parts = row.path.split('/').filter(Boolean).map(partOf)
  const last = parts.at(-1)
  const rest = last?.isParam && last.text.endsWith(REST) ? last.text.slice(0, -REST.length) : null
  return {
    row,
    methods: row.method === '*' ? null : row.method.split('|'),
    parts: rest === null ? parts : parts.slice(0, -1),
    rest,
  }
}

const REST = '...'

function partOf(segment: string): Part {
  const isParam = segment.startsWith('{') && segment.endsWith('}')
  return { isParam, text: isParam ? segment.slice(1, -1) : segment }
}

function matches({ parts, rest }: CompiledRoute<unknown>, segments: readonly string[]): boolean {
  const following = segments.length - parts.length
  const isLongEnough = rest === null ? following === 0 || (following === 1 && segments.at(-1) === '') : following > 0
  return isLongEnough && parts.every(({ isParam, text }, at) => isParam || text === segments[at])
}

function paramsOf({ parts, rest }: CompiledRoute<unknown>, segments: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [at, { isParam, text }] of parts.entries()) if (isParam) params[text] = segments[at] ?? ''
  if (rest !== null) params[rest] = segments.slice(parts.length).join('/')
  return params
}
