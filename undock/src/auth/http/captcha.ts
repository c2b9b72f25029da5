import { z } from 'zod'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { text } from '../models/params.ts'
import type { Call } from './call.ts'
import { requireAdmin } from './caller.ts'

export const captchaParams = {
  gotrue_meta_security: z
    .object({ captcha_token: text })
    .nullish()
    .transform((value) => value?.captcha_token.trim() ?? ''),
}

const VERIFIERS = {
  hcaptcha: 'https://hcaptcha.com/siteverify',
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
} as const

const Verdict = z.object({ success: z.boolean(), 'error-codes': z.array(z.string()).optional() })

/** Verifies the caller's captcha token with the configured provider; the service role needs none.
 *  @throws `captcha_failed` */
export async function verifyCaptcha(deps: AuthDeps, call: Call, token: string): Promise<void> {
  const { captcha } = deps.config
  if (!captcha?.enabled) return
  if (await isAdmin(deps, call)) return
  if (token === '') throw authError('captchaMissing')
  const verdict = await askProvider(deps.fetch, VERIFIERS[captcha.provider ?? 'hcaptcha'], {
    secret: captcha.secret,
    response: token,
    remoteip: call.client.address,
  })
  if (!verdict.success) throw authError('captchaRejected', [(verdict['error-codes'] ?? []).join(', ')])
}

async function askProvider(
  fetch: typeof globalThis.fetch,
  url: string,
  form: { readonly secret: string; readonly response: string; readonly remoteip: string },
) {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams(form),
      signal: AbortSignal.timeout(10_000),
    })
    return Verdict.parse(await answer.json())
  } catch (error) {
    throw authError('captchaUnreachable', [], { cause: error })
  }
}

async function isAdmin(deps: AuthDeps, { request, now }: Call): Promise<boolean> {
  try {
    await requireAdmin(request, deps, now)
    return true
  } catch {
    return false
  }
}
