import { randomUUID } from 'node:crypto'
import { generate } from 'otplib'
import { z } from 'zod'
import type { ApiKeys } from '../identity/identity.ts'
import type { Clock } from '../kernel/service.ts'

export type UserOptions = {
  /** Unique per user by default. */
  readonly email?: string
  readonly password?: string
  /** `aal2` enrols an authenticator app and signs in with it. */
  readonly aal?: 'aal1' | 'aal2'
  readonly user_metadata?: Readonly<Record<string, unknown>>
  readonly app_metadata?: Readonly<Record<string, unknown>>
}

/** Written out: the published package has no declarations of zod, and its users would get `any`. */
export type UserSession = {
  readonly access_token: string
  readonly refresh_token: string
  readonly expires_in: number
  readonly token_type: 'bearer'
  readonly user: { readonly id: string; readonly [name: string]: unknown }
  readonly [name: string]: unknown
}

const Session: z.ZodType<UserSession> = z.looseObject({
  access_token: z.string(),
  refresh_token: z.string(),
  expires_in: z.number(),
  token_type: z.literal('bearer'),
  user: z.looseObject({ id: z.string() }),
})

export type TestUser = {
  readonly id: string
  readonly email: string
  readonly password: string
  /** As Auth answers it; `supabase.auth.setSession` takes it. */
  readonly session: UserSession
  /** The authenticator app's secret, in base32; null at aal1. */
  readonly totpSecret: string | null
}

type Backend = { readonly url: string; readonly keys: ApiKeys; readonly clock: Clock }

export async function createTestUser(backend: Backend, options: UserOptions): Promise<TestUser> {
  const {
    email = `user-${randomUUID()}@example.com`,
    password = `Pass-${randomUUID()}`,
    aal = 'aal1',
    ...rest
  } = options
  await call(backend, backend.keys.secret, 'admin/users', { email, password, email_confirm: true, ...rest })
  const first = Session.parse(
    await call(backend, backend.keys.publishable, 'token?grant_type=password', { email, password }),
  )
  const raised = aal === 'aal2' ? await raise(backend, first.access_token) : null
  return {
    id: first.user.id,
    email,
    password,
    session: raised?.session ?? first,
    totpSecret: raised?.secret ?? null,
  }
}

const Factor = z.object({ id: z.string(), totp: z.object({ secret: z.string() }) })
const Challenge = z.object({ id: z.string() })

async function raise(backend: Backend, token: string) {
  const enrolled = await call(backend, token, 'factors', { factor_type: 'totp', friendly_name: 'test' })
  const { id, totp } = Factor.parse(enrolled)
  const challenge = Challenge.parse(await call(backend, token, `factors/${id}/challenge`, {}))
  const epoch = Math.floor(backend.clock.now().getTime() / 1_000)
  const code = await generate({ secret: totp.secret, epoch })
  const answer = await call(backend, token, `factors/${id}/verify`, { challenge_id: challenge.id, code })
  return { session: Session.parse(answer), secret: totp.secret }
}

async function call({ url, keys }: Backend, credential: string, path: string, body: object): Promise<unknown> {
  const isToken = !credential.startsWith('sb_')
  const response = await fetch(`${url}/auth/v1/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      apikey: isToken ? keys.publishable : credential,
      ...(isToken ? { authorization: `Bearer ${credential}` } : {}),
    },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`auth/v1/${path}: ${response.status} ${await response.text()}`)
  return response.json()
}
