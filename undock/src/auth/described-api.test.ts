import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestAuth, type TestAuth } from '../testing/auth.ts'
import { type Ask, describedApi, type Known, NOBODY } from '../testing/described-api.ts'
import { selfSignedCertificate } from './providers/sso/service-provider.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const METADATA = `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.test/metadata"><IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${selfSignedCertificate(privateKey, 'idp')}</X509Certificate></X509Data></KeyInfo></KeyDescriptor><SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.test/sso"/></IDPSSODescriptor></EntityDescriptor>`

const SETTINGS = `
[auth]
site_url = "https://app.test"
enable_manual_linking = true
[auth.email]
enable_confirmations = true
[auth.external.github]
enabled = true
client_id = "c"
secret = "s"
[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true
[auth.oauth_server]
enabled = true
allow_dynamic_registration = true
[auth.saml]
enabled = true
private_key = "${privateKey.export({ format: 'der', type: 'pkcs1' }).toString('base64')}"
`
const known: Known = {}

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth(SETTINGS, '', { lookup: async () => ['203.0.113.7'] })
  const { data } = await auth.client({ secret: true }).auth.admin.createUser({
    email: 'ada@example.com',
    password: 'correct horse',
    email_confirm: true,
  })
  known.user = data.user?.id ?? ''
  const { session } = (await signIn()).data
  known.token = session?.access_token ?? ''
  known.refresh = session?.refresh_token ?? ''
})
afterAll(() => auth.close())

const signIn = () => auth.client().auth.signInWithPassword({ email: 'ada@example.com', password: 'correct horse' })

async function ask(method: string, path: string, { as, of = {}, query = {}, body, form, keep }: Ask) {
  const target = path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(of[name] ?? NOBODY))
  const credential = { user: known.token, admin: auth.identity.keys.serviceRole }[as ?? 'user']
  const response = await fetch(`${auth.url}/auth/v1${target}?${new URLSearchParams(query)}`, {
    method,
    redirect: 'manual',
    headers: { ...(as ? { authorization: `Bearer ${credential}` } : {}) },
    body: form ? new URLSearchParams(form) : body === undefined ? null : JSON.stringify(body),
  })
  const text = await response.text()
  const location = response.headers.get('location')
  if (keep) Object.assign(known, keep(text ? JSON.parse(text) : {}, location ? new URL(location) : null))
  return { status: response.status, text, location }
}

/** Where upstream's behaviour differs from its description, we match the behaviour. */
const ANSWERED: Readonly<Record<string, number>> = {
  'GET /verify 302': 303,
  'GET /callback 302': 303,
  'POST /callback 302': 303,
  'POST /saml/acs 302': 303,
  'POST /admin/sso/providers 200': 201,
}

test('every path and method responds like its API description', async () => {
  for (const [method, path, documented, cases] of describedApi(auth, known, METADATA)) {
    for (const [status, prepare] of cases) {
      expect(documented, `${method} ${path}`).toContain(status)
      const asked = prepare()
      const answer = await ask(method, path, asked)
      const told = `${method} ${path} ${JSON.stringify(asked)} → ${answer.text} ${answer.location}`
      expect.soft(answer.status, told).toBe(ANSWERED[`${method} ${path} ${status}`] ?? status)
    }
  }
})
