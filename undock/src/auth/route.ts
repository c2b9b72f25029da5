import type { z } from 'zod'
import type { RequestContext } from '../kernel/service.ts'
import { readBody } from './body.ts'
import type { Call, Caller, CallerCall } from './call.ts'
import { requireAdmin, requireCaller } from './caller.ts'
import { verifyCaptcha } from './captcha.ts'
import type { AuthConfig, AuthDeps } from './deps.ts'
import { authError, type Refusal } from './errors.ts'
import type { RequestLimit } from './rate-limits.ts'

/** `user` is someone with an access token, `member` one who is not anonymous, `admin` the service role. */
export type Access = 'anyone' | 'user' | 'member' | 'admin'

type CallFor<A extends Access> = A extends 'user' | 'member' ? CallerCall : Call

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type RouteOptions = {
  readonly limit?: RequestLimit
  /** A solved captcha is asked for when the project wants one. */
  readonly captcha?: boolean
  /** The refusal while the project has this switched off. */
  readonly unless?: (config: AuthConfig) => Refusal | null
}

export type Route = RouteOptions & {
  readonly method: Method
  readonly segments: readonly string[]
  readonly access: Access
  /** What the body must be; null leaves it to the handler. */
  readonly schema: z.ZodType | null
  answer(deps: AuthDeps, call: Call, caller: Caller | null): Promise<Response>
}

/** One row of the table of routes. A `null` schema leaves the body to the handler. */
export function route<A extends Access, S extends z.ZodType | null>(
  method: Method,
  path: string,
  access: A,
  schema: S,
  handle: (deps: AuthDeps, call: CallFor<A>, body: S extends z.ZodType ? z.infer<S> : null) => Promise<Response>,
  options: RouteOptions = {},
): Route {
  return {
    ...options,
    method,
    segments: segmentsOf(path),
    access,
    schema,
    async answer(deps, call, caller) {
      const body = schema ? await readBody(call.request, schema) : null
      if (options.captcha) await verifyCaptcha(deps, call, captchaToken(body))
      return handle(deps, { ...call, caller } as CallFor<A>, body as S extends z.ZodType ? z.infer<S> : null)
    },
  }
}

const captchaToken = (body: unknown): string =>
  String((body as { gotrue_meta_security?: string } | null)?.gotrue_meta_security ?? '')

/** The refusals of a route's guards come before anything else is read, in upstream's order. */
export async function dispatch(
  routes: readonly Route[],
  request: Request,
  { requestId, address }: RequestContext,
  deps: AuthDeps,
): Promise<Response> {
  const url = new URL(request.url)
  const path = segmentsOf(url.pathname.replace(/^\/auth\/v1(?=\/|$)/, ''))
  const here = routes.filter(({ segments }) => matches(segments, path))
  if (here.length === 0) throw authError('routeUnknown')
  const found = here.find(({ method }) => method === request.method)
  if (!found)
    throw authError('methodNotAllowed', [], { headers: { allow: here.map(({ method }) => method).join(', ') } })
  // Postgres text cannot hold it, and nothing that we look for does.
  if (url.search.includes('%00')) throw authError('queryInvalid')
  const refuseIfOff = () => {
    const disabled = found.unless?.(deps.config)
    if (disabled) throw authError(disabled)
  }
  // Below these, only those who may come in at all learn what is switched off.
  const isGuarded = found.segments[0] === 'admin' || found.segments[0] === 'user'
  if (!isGuarded) refuseIfOff()
  if (found.limit) deps.limits.takeRequest(found.limit, address)
  const caller = await admit(found.access, request, deps)
  if (isGuarded) refuseIfOff()
  return found.answer(
    deps,
    {
      request,
      query: url.searchParams,
      params: Object.fromEntries(
        found.segments.flatMap((segment, at) => (isName(segment) ? [[segment.slice(1, -1), path[at] ?? '']] : [])),
      ),
      client: { address, userAgent: request.headers.get('user-agent') ?? '' },
      requestId,
      now: deps.clock.now(),
      aud: audienceOf(request, caller),
      redirectTo: deps.redirects.choose([
        request.headers.get('redirect_to') ?? url.searchParams.get('redirect_to'),
        request.headers.get('referer'),
      ]),
    },
    caller,
  )
}

async function admit(access: Access, request: Request, deps: AuthDeps): Promise<Caller | null> {
  if (access === 'anyone') return null
  if (access === 'admin') {
    await requireAdmin(request, deps)
    return null
  }
  const caller = await requireCaller(request, deps)
  if (access === 'member' && caller.claims.is_anonymous === true) throw authError('anonymousNotAllowed')
  return caller
}

/** @see supabase/auth internal/api/helpers.go, requestAud */
function audienceOf(request: Request, caller: Caller | null): string {
  const claimed = caller?.claims.aud
  const [first] = Array.isArray(claimed) ? claimed : [claimed]
  return request.headers.get('x-jwt-aud') || (typeof first === 'string' && first) || 'authenticated'
}

const isName = (segment: string): boolean => segment.startsWith('{')

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '')

const matches = (segments: readonly string[], path: readonly string[]): boolean =>
  segments.length === path.length && segments.every((segment, at) => isName(segment) || segment === path[at])
