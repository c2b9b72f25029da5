import { type Identity, TokenError } from './identity/identity.ts'
import type { Service } from './kernel/service.ts'

export type ControlDeps = {
  readonly identity: Identity
  reset(): Promise<void>
}

const REFUSAL = 'Only the secret key of the project may do this'

/** `/undock/v1`: what another process may ask of a running stack, with the project's secret key. */
export function createControl({ identity, reset }: ControlDeps): Service {
  return async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/undock/v1/health') return Response.json({ status: 'ok' })
    const isAllowed = await identity.authenticate(request).then(
      ({ role }) => role === 'service_role',
      (error: unknown) => {
        if (error instanceof TokenError) return false
        throw error
      },
    )
    if (!isAllowed) return Response.json({ message: REFUSAL }, { status: 403 })
    if (request.method === 'POST' && pathname === '/undock/v1/reset') {
      try {
        await reset()
        return Response.json({ status: 'reset' })
      } catch (error) {
        return Response.json({ message: error instanceof Error ? error.message : String(error) }, { status: 422 })
      }
    }
    return Response.json({ message: `There is no ${request.method} ${pathname}` }, { status: 404 })
  }
}
