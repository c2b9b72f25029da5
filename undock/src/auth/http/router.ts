import type { z } from 'zod'
import { type Access, type RoutePattern, type Router, segmentsOf } from '../../kernel/router.ts'
import type { RequestContext } from '../../kernel/service.ts'
import type { AuthConfig, AuthDeps } from '../deps.ts'
import { type AuthErrorName, authError } from '../errors.ts'
import type { RequestLimit } from '../guards/rate-limits.ts'
import { readBody } from './body.ts'
import type { AuthenticatedCall, AuthenticatedUser, Call } from './call.ts'
import { requireAdmin, requireBearer, requireUser } from './caller.ts'
import { verifyCaptcha } from './captcha.ts'

export type AuthAccess = Extract<Access, 'anyone' | 'bearer' | 'user' | 'member' | 'service'>

type CallFor<A extends AuthAccess> = A extends 'bearer' | 'user' | 'member' ? AuthenticatedCall : Call

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type RouteOptions = {
  readonly limit?: RequestLimit
  /** Requires a solved captcha if the project has captchas enabled. */
  readonly captcha?: boolean
  /** The error if the project has this disabled. */
  readonly unless?: (config: AuthConfig) => AuthErrorName | null
}

export type Route = RouteOptions &
  RoutePattern<AuthAccess> & {
    readonly method: Method
    readonly schema: z.ZodType | null
    answer(deps: AuthDeps, call: Call, caller: AuthenticatedUser | null): Promise<Response>
  }

/** Declares a route. A `null` schema leaves the body to the handler. */
export function route<A extends AuthAccess, S extends z.ZodType | null>(
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
    path,
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

/** Runs a route's guards, in upstream's order, before anything else is read. */
export async function dispatch(
  router: Router<Route>,
  request: Request,
  { requestId, address }: RequestContext,
  deps: AuthDeps,
): Promise<Response> {
  const url = new URL(request.url)
  const segments = ownSegments(url.pathname)
  const match = router.find(request.method, segments)
  if (match.kind === 'notFound') throw authError('routeUnknown')
  if (match.kind === 'wrongMethod')
    throw authError('methodNotAllowed', [], { headers: { allow: match.allow.join(', ') } })
  const { route: found, params } = match
  const refuseIfOff = () => {
    const disabled = found.unless?.(deps.config)
    if (disabled) throw authError(disabled)
  }
  // Under these paths, only authorized callers learn which features are disabled.
  const isGuarded = segments[0] === 'admin' || segments[0] === 'user'
  if (!isGuarded) refuseIfOff()
  if (found.limit) await deps.limits.takeRequest(found.limit, address)
  const now = deps.clock.now()
  const caller = await admit(found.access, request, deps, now)
  if (isGuarded) refuseIfOff()
  return found.answer(
    deps,
    {
      request,
      query: url.searchParams,
      params,
      client: { address, userAgent: request.headers.get('user-agent') ?? '' },
      requestId,
      now,
      aud: audienceOf(request, caller),
      redirectTo: deps.redirects.choose([
        request.headers.get('redirect_to') ?? url.searchParams.get('redirect_to'),
        request.headers.get('referer'),
      ]),
    },
    caller,
  )
}

async function admit(
  access: AuthAccess,
  request: Request,
  deps: AuthDeps,
  now: Date,
): Promise<AuthenticatedUser | null> {
  if (access === 'anyone') return null
  if (access === 'service') {
    await requireAdmin(request, deps, now)
    return null
  }
  const caller = await (access === 'bearer' ? requireBearer : requireUser)(request, deps, now)
  if (access === 'member' && caller.claims.is_anonymous === true) throw authError('anonymousNotAllowed')
  return caller
}

/** @see supabase/auth internal/api/helpers.go, requestAud */
function audienceOf(request: Request, caller: AuthenticatedUser | null): string {
  const claimed = caller?.claims.aud
  const [first] = Array.isArray(claimed) ? claimed : [claimed]
  return request.headers.get('x-jwt-aud') || (typeof first === 'string' && first) || 'authenticated'
}

/** The path after `/auth/v1` (or the host's root, for discovery), split like chi: no empty segments, not decoded. */
function ownSegments(pathname: string): string[] {
  const segments = segmentsOf(pathname).filter(Boolean)
  return segments[0] === 'auth' && segments[1] === 'v1' ? segments.slice(2) : segments
}
