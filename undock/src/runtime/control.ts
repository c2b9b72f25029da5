import { type Identity, TokenError } from '../identity/identity.ts'
import { createRouter } from '../kernel/router.ts'
import type { RequestHandler } from '../kernel/service.ts'
import { splitUrl } from '../kernel/url.ts'

export type ControlDeps = {
  readonly identity: Identity
  reset(): Promise<void>
}

type Handler = (deps: ControlDeps) => Response | Promise<Response>

const PREFIX = '/undock/v1'

const router = createRouter<{ method: string; path: string; access: 'anyone' | 'secretKey'; handle: Handler }>([
  { method: '*', path: '/health', access: 'anyone', handle: () => Response.json({ status: 'ok' }) },
  { method: 'POST', path: '/reset', access: 'secretKey', handle: answerReset },
])

/** `/undock/v1`: what another process may ask of a running stack, with the project's secret key. */
export function createControl(deps: ControlDeps): RequestHandler {
  return async (request) => {
    const { pathname } = splitUrl(request.url)
    const match = router.find(request.method, pathname.slice(PREFIX.length).split('/').slice(1))
    const access = match.kind === 'found' ? match.route.access : 'secretKey'
    if (access === 'secretKey' && !(await hasSecretKey(request, deps.identity)))
      return refuse(403, 'Only the secret key of the project may do this')
    if (match.kind === 'found') return match.route.handle(deps)
    return refuse(404, `There is no ${request.method} ${pathname}`)
  }
}

async function answerReset({ reset }: ControlDeps): Promise<Response> {
  try {
    await reset()
    return Response.json({ status: 'reset' })
  } catch (error) {
    return refuse(422, error instanceof Error ? error.message : String(error))
  }
}

async function hasSecretKey(request: Request, identity: Identity): Promise<boolean> {
  try {
    return (await identity.authenticate(request)).role === 'service_role'
  } catch (error) {
    if (error instanceof TokenError) return false
    throw error
  }
}

const refuse = (status: number, message: string): Response => Response.json({ message }, { status })
