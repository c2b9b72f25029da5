import type { ChildProcess } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test'
import type { SupabaseClient } from '@supabase/supabase-js'
import { generateSync } from 'otplib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lastMailTo } from '../../src/test-kit/mails.ts'
import { CHROMIUM } from '../support/chromium.ts'
import { freePort, makeProject, type TestProject } from '../support/project.ts'
import { end, startUndock } from '../support/undock.ts'

const settings = (origin: string) => `
project_id = "auth-browser"
[edge_runtime]
enabled = false
[auth]
site_url = "${origin}"
signing_keys_path = "./signing_keys.json"
[auth.email]
max_frequency = "1s"
[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true
[auth.mfa.web_authn]
enroll_enabled = true
verify_enabled = true
[auth.passkey]
enabled = true
[auth.webauthn]
rp_display_name = "Browser"
rp_id = "localhost"
rp_origins = ["${origin}"]
`
const KEY = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'
const LIBRARY = createRequire(import.meta.url).resolve('@supabase/supabase-js/dist/umd/supabase.js')
const APP = `<!doctype html><title>app</title><script src="/supabase.js"></script><script>
  const { url, key, options } = settings
  globalThis.client = supabase.createClient(url, key, options)
  globalThis.events = []
  client.auth.onAuthStateChange((event) => events.push(event))
</script>`
/** The time limit for events in a page on a busy machine. */
const TIMEOUT = { timeout: 30_000 }
const PASSWORD = 'four unrelated lamps'

let project: TestProject
let undock: ChildProcess
let browser: Browser
let site: Server
let origin: string
let api: string
let inbox: string
beforeAll(async () => {
  const port = await freePort()
  origin = `http://localhost:${port}`
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = { ...privateKey.export({ format: 'jwk' }), kid: 'browser', alg: 'RS256', use: 'sig', key_ops: ['sign'] }
  project = await makeProject({ 'config.toml': settings(origin), 'signing_keys.json': JSON.stringify([key]) })
  api = `http://127.0.0.1:${project.ports.SUPABASE_API_PORT}`
  inbox = `http://127.0.0.1:${project.ports.SUPABASE_LOCAL_SMTP_PORT}`
  const library = await readFile(LIBRARY)
  site = createServer(({ url }, response) => {
    if (url === '/supabase.js') response.setHeader('content-type', 'text/javascript').end(library)
    else response.setHeader('content-type', 'text/html').end(APP)
  })
  await new Promise<void>((resolve) => site.listen(port, 'localhost', resolve))
  undock = await startUndock(project)
  browser = await chromium.launch(CHROMIUM)
})
afterAll(async () => {
  await browser?.close()
  site?.closeAllConnections()
  site?.close()
  if (undock) await end(undock, 'SIGTERM')
  await project?.remove()
})

/** The globals used by code in the page. */
declare const client: SupabaseClient
declare const events: string[]

/** Opens a freshly loaded page of the app with the published client and its session in localStorage. */
async function openApp(context: BrowserContext, flowType: 'implicit' | 'pkce' = 'pkce'): Promise<Page> {
  const options = { auth: { flowType, experimental: { passkey: true } } }
  await context.addInitScript((settings) => Object.assign(globalThis, { settings }), { url: api, key: KEY, options })
  const page = await context.newPage()
  await page.goto(origin)
  return page
}

/** Signs up a user in a page. @returns the user's id */
const signUp = (page: Page, email: string): Promise<string> =>
  page.evaluate(
    async ({ email, password }) => {
      const { data, error } = await client.auth.signUp({ email, password })
      if (error) throw error
      return data.user?.id ?? ''
    },
    { email, password: PASSWORD },
  )

test('a session survives a reload, two tabs refresh it simultaneously, and the page verifies its claims', async () => {
  const context = await browser.newContext()
  const page = await openApp(context)
  const id = await signUp(page, 'tabs@example.org')
  await page.reload()
  const second = await context.newPage()
  await second.goto(origin)
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const claims = await page.evaluate(async () => {
    const { data, error } = await client.auth.getClaims()
    if (error) throw error
    return { header: data?.header, sub: data?.claims.sub, role: data?.claims.role }
  })
  expect(claims).toEqual({ header: { alg: 'RS256', kid: 'browser', typ: 'JWT' }, sub: id, role: 'authenticated' })
  expect(asked).toEqual(['/auth/v1/.well-known/jwks.json'])
  // If two tabs refresh simultaneously, the client may drop one response, but neither tab may lose the session.
  const refresh = (tab: Page) =>
    tab.evaluate(async () => (await client.auth.refreshSession()).error?.name ?? 'refreshed')
  for (const outcome of await Promise.all([refresh(page), refresh(second), refresh(page)]))
    expect(['refreshed', 'AuthRefreshDiscardedError']).toContain(outcome)
  for (const tab of [page, second])
    expect(await tab.evaluate(async () => (await client.auth.getUser()).data.user?.id)).toBe(id)
  await page.evaluate(() => client.auth.signOut())
  await expect.poll(() => second.evaluate(() => events.at(-1)), TIMEOUT).toBe('SIGNED_OUT')
  await context.close()
})

test.each(['pkce', 'implicit'] as const)('an email link signs in with flow %s', async (flow) => {
  const context = await browser.newContext()
  const page = await openApp(context, flow)
  const email = `${flow}@example.org`
  await page.evaluate(
    async ({ email, origin }) => {
      const { error } = await client.auth.signInWithOtp({ email, options: { emailRedirectTo: `${origin}/welcome` } })
      if (error) throw error
    },
    { email, origin },
  )
  const { link } = await lastMailTo(inbox, email, {})
  await page.goto(link)
  const signedIn = await page.evaluate(async () => {
    const { data } = await client.auth.getSession()
    return { email: data.session?.user.email, path: location.pathname }
  })
  expect(signedIn).toEqual({ email, path: '/welcome' })
  // The client removes the credentials from the page's address.
  await expect.poll(() => page.url(), TIMEOUT).not.toMatch(/code=|access_token=/)
  await page.goto(link)
  expect(new URL(page.url()).hash + new URL(page.url()).search).toContain('error_code=otp_expired')
  await context.close()
})

test('resets a forgotten password after PASSWORD_RECOVERY', async () => {
  const context = await browser.newContext()
  const page = await openApp(context)
  const email = 'forgetful@example.org'
  await signUp(page, email)
  await page.evaluate(
    async ({ email, origin }) => {
      await client.auth.signOut()
      const { error } = await client.auth.resetPasswordForEmail(email, { redirectTo: origin })
      if (error) throw error
    },
    { email, origin },
  )
  const { link } = await lastMailTo(inbox, email, { subject: 'Reset' })
  await page.goto(link)
  await expect.poll(() => page.evaluate(() => events), TIMEOUT).toContain('PASSWORD_RECOVERY')
  const refusals = await page.evaluate(
    async ({ email, next }) => {
      const updated = await client.auth.updateUser({ password: next })
      await client.auth.signOut()
      const again = await client.auth.signInWithPassword({ email, password: next })
      return [updated.error, again.error]
    },
    { email, next: 'eleven other lamps' },
  )
  expect(refusals).toEqual([null, null])
  await context.close()
})

test('an authenticator app (TOTP) raises the session to aal2', async () => {
  const context = await browser.newContext()
  const page = await openApp(context)
  await signUp(page, 'counting@example.org')
  const { id, secret, picture } = await page.evaluate(async () => {
    const { data, error } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'app' })
    if (error) throw error
    const image = new Image()
    image.src = data.totp.qr_code
    await image.decode()
    return { id: data.id, secret: data.totp.secret, picture: image.width > 0 }
  })
  expect(picture).toBe(true)
  const verified = await page.evaluate(
    async ({ factorId, code }) => {
      const { error } = await client.auth.mfa.challengeAndVerify({ factorId, code })
      if (error) throw error
      return (await client.auth.mfa.getAuthenticatorAssuranceLevel()).data?.currentLevel
    },
    { factorId: id, code: generateSync({ secret }) },
  )
  expect(verified).toBe('aal2')
  await context.close()
})

test("the browser's authenticator registers a passkey, then serves as second factor", async () => {
  const context = await browser.newContext()
  const page = await openApp(context)
  const devtools = await context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const plug = (transport: 'internal' | 'usb') =>
    devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport,
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
  await plug('internal')
  const id = await signUp(page, 'passkey@example.org')
  const signedIn = await page.evaluate(async () => {
    const registered = await client.auth.registerPasskey()
    if (registered.error) throw registered.error
    await client.auth.signOut()
    const signedIn = await client.auth.signInWithPasskey()
    if (signedIn.error) throw signedIn.error
    return signedIn.data?.user?.id
  })
  expect(signedIn).toBe(id)
  // For the second factor, the client requests a security key (a roaming authenticator).
  await plug('usb')
  const outcome = await page.evaluate(async () => {
    const factor = await client.auth.mfa.webauthn.register({ friendlyName: 'key' })
    if (factor.error) throw factor.error
    const { data: level } = await client.auth.mfa.getAuthenticatorAssuranceLevel()
    const { data: passkeys } = await client.auth.passkey.list()
    return { level: level?.currentLevel, passkeys: passkeys?.length }
  })
  expect(outcome).toEqual({ level: 'aal2', passkeys: 1 })
  await context.close()
})
