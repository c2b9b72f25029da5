import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestAuth, type TestAuth } from '../../testing/auth.ts'
import { startExternalServices } from '../../testing/external-services.ts'

const VERIFIERS = {
  hcaptcha: 'https://hcaptcha.com/siteverify',
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
}

describe.each(['hcaptcha', 'turnstile'] as const)('%s', (provider) => {
  let externalServices: Awaited<ReturnType<typeof startExternalServices>>
  let auth: TestAuth
  let answer: { status?: number; body: unknown } = { body: { success: true } }
  beforeAll(async () => {
    externalServices = await startExternalServices(() => answer)
    const captcha = `[auth.captcha]\nenabled = true\nprovider = "${provider}"\nsecret = "s"\n`
    auth = await startTestAuth(captcha, '', { fetch: externalServices.fetch })
  })
  afterAll(async () => {
    await auth.close()
    await externalServices.close()
  })

  const signUp = (captchaToken?: string) =>
    auth.client().auth.signUp({
      email: `${crypto.randomUUID()}@example.com`,
      password: 'correct horse',
      ...(captchaToken ? { options: { captchaToken } } : {}),
    })

  test('accepts a solved captcha', async () => {
    answer = { body: { success: true } }
    expect((await signUp('solved')).error).toBeNull()
    expect(externalServices.requests.at(-1)).toMatchObject({
      url: new URL(VERIFIERS[provider]),
      form: { secret: 's', response: 'solved', remoteip: '127.0.0.1' },
    })
  })

  test('is required from everyone except the service role, but not for refreshing', async () => {
    const before = externalServices.requests.length
    expect((await signUp()).error).toMatchObject({
      status: 400,
      code: 'captcha_failed',
      message: 'captcha protection: request disallowed (no captcha_token found)',
    })
    const email = 'made@example.com'
    const admin = auth.client({ secret: true })
    await admin.auth.admin.createUser({ email, password: 'correct horse', email_confirm: true })
    const signedIn = await admin.auth.signInWithPassword({ email, password: 'correct horse' })
    expect(signedIn.error).toBeNull()
    expect(
      (await auth.client().auth.refreshSession({ refresh_token: signedIn.data.session?.refresh_token ?? '' })).error,
    ).toBeNull()
    const refused = await auth.client().auth.signInWithPassword({ email, password: 'correct horse' })
    expect(refused.error?.code).toBe('captcha_failed')
    expect(externalServices.requests).toHaveLength(before)
  })

  test('rejects an unsolved captcha and fails closed', async () => {
    answer = { body: { success: false, 'error-codes': ['invalid-input-response', 'bad'] } }
    expect((await signUp('wrong')).error?.message).toBe(
      'captcha protection: request disallowed (invalid-input-response, bad)',
    )
    answer = { status: 500, body: 'broken' }
    expect((await signUp('x')).error).toMatchObject({ status: 500, message: 'captcha verification process failed' })
  })
})
