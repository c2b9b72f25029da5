import { tryJson } from '../kernel/json.ts'
import type { Path } from './position.ts'
import type { Project } from './schema/project.ts'

export type Problem = { readonly path: Path; readonly message: string }

const missing = (...path: string[]): Problem => ({ path, message: 'is required' })

const FUNCTION_NAME = /^[A-Za-z][A-Za-z0-9_-]*$/
// Storage's rule for bucket names, except their length.
const BUCKET_NAME = /^[\w!\-.*'() &$@=;:+,?]*$/
const PROJECT_REF = /^[a-z]{20}$/
const POSTGRES_VERSIONS = [14, 15, 17, 18]
const DENO_VERSIONS = [1, 2]

/** Makes the CLI's checks outside [auth], in the order of the file. @see supabase/cli pkg/config/config.go, Validate */
export function checkProject(project: Project): Problem[] {
  const { api, db, studio, local_smtp, storage, functions, edge_runtime, analytics, experimental, remotes } = project
  const problems: Problem[] = []
  const require = (held: boolean, problem: Problem) => {
    if (!held) problems.push(problem)
  }

  require(project.project_id !== '', missing('project_id'))
  require(!api.enabled || api.port !== 0, missing('api', 'port'))
  if (api.enabled && api.tls.enabled) {
    require(api.tls.cert_path === '' || api.tls.key_path !== '', missing('api', 'tls', 'key_path'))
    require(api.tls.key_path === '' || api.tls.cert_path !== '', missing('api', 'tls', 'cert_path'))
  }
  require(db.port !== 0, missing('db', 'port'))
  require(POSTGRES_VERSIONS.includes(db.major_version), {
    path: ['db', 'major_version'],
    message: `must be one of ${POSTGRES_VERSIONS.join(', ')}, not ${db.major_version}`,
  })
  require(!studio.enabled || studio.port !== 0, missing('studio', 'port'))
  require(!local_smtp.enabled || local_smtp.port !== 0, missing('local_smtp', 'port'))
  for (const name of Object.keys(storage.buckets)) {
    require(BUCKET_NAME.test(name), {
      path: ['storage', 'buckets', name],
      message: 'has a name with characters that Storage refuses',
    })
  }
  for (const name of Object.keys(functions)) {
    require(FUNCTION_NAME.test(name), {
      path: ['functions', name],
      message: 'needs a name that starts with a letter and has only letters, digits, _ and -',
    })
  }
  require(DENO_VERSIONS.includes(edge_runtime.deno_version), {
    path: ['edge_runtime', 'deno_version'],
    message: `must be one of ${DENO_VERSIONS.join(', ')}, not ${edge_runtime.deno_version}`,
  })
  if (analytics.enabled && analytics.backend === 'bigquery') {
    for (const key of ['gcp_project_id', 'gcp_project_number', 'gcp_jwt_path'] as const)
      require(analytics[key] !== '', missing('analytics', key))
  }
  require(experimental.webhooks?.enabled !== false, {
    path: ['experimental', 'webhooks', 'enabled'],
    message: 'can be true or left out: webhooks cannot be turned off',
  })
  require(isJsonOrEmpty(experimental.pgdelta?.format_options ?? ''), {
    path: ['experimental', 'pgdelta', 'format_options'],
    message: 'must be JSON',
  })
  return [...problems, ...checkRemotes(remotes)]
}

function checkRemotes(remotes: Project['remotes']): Problem[] {
  const owners = new Map<string, string>()
  return Object.entries(remotes).flatMap(([name, { project_id }]): Problem[] => {
    const path = ['remotes', name, 'project_id']
    const other = owners.get(project_id)
    owners.set(project_id, name)
    if (other !== undefined) return [{ path, message: `is also that of remotes.${other}` }]
    if (!PROJECT_REF.test(project_id))
      return [{ path, message: 'must be 20 lowercase letters, like abcdefghijklmnopqrst' }]
    return []
  })
}

const isJsonOrEmpty = (text: string): boolean => text === '' || tryJson(text) !== undefined

type Auth = Project['auth']

const HOOK_SECRET = /^v1,whsec_[A-Za-z0-9+/=]{32,88}$/
const CLERK_DOMAIN = /^(clerk([.][a-z0-9-]+){2,}|([a-z0-9-]+[.])+clerk[.]accounts[.]dev)$/
/** Providers that can sign in with only an ID token and need no secret. */
const WITHOUT_SECRET = ['apple', 'google']

/** Providers that Auth replaced with their OpenID Connect versions; the CLI drops them too. */
export const RETIRED_PROVIDERS = ['linkedin', 'slack']

/** Returns whether a code can reach a phone: by a provider, a hook, or as a fixed test code. (The CLI only checks
 *  providers, and disables phone sign-in for the other two.) */
export const canSendSms = ({ sms, hook }: Auth): boolean =>
  hook.send_sms?.enabled === true ||
  Object.keys(sms.test_otp).length > 0 ||
  [sms.twilio, sms.twilio_verify, sms.messagebird, sms.textlocal, sms.vonage].some(({ enabled }) => enabled)

/** Makes the CLI's checks of [auth]. The secret is checked even if Auth is off: it signs all other services' keys.
 *  @see supabase/cli pkg/config/config.go, Validate */
export function checkAuth(auth: Auth): Problem[] {
  const secret: Problem[] =
    auth.jwt_secret.length < 16 ? [{ path: ['auth', 'jwt_secret'], message: 'must have at least 16 characters' }] : []
  if (!auth.enabled) return secret
  return [
    ...secret,
    ...(auth.site_url === '' ? [missing('auth', 'site_url')] : []),
    ...checkCaptcha(auth),
    ...checkPasskey(auth),
    ...Object.entries(auth.hook).flatMap(([name, hook]) => (hook?.enabled ? checkHook(name, hook) : [])),
    ...checkMfa(auth.mfa),
    ...checkEmail(auth.email),
    ...checkSms(auth.sms),
    ...checkProviders(auth.external),
    ...checkThirdParty(auth.third_party),
  ]
}

function checkCaptcha({ captcha }: Auth): Problem[] {
  if (!captcha?.enabled) return []
  return requireKeys(['auth', 'captcha'], { provider: captcha.provider ?? '', secret: captcha.secret })
}

function checkPasskey({ passkey, webauthn }: Auth): Problem[] {
  if (!passkey?.enabled) return []
  if (!webauthn) return [{ path: ['auth', 'webauthn'], message: 'is required because auth.passkey is enabled' }]
  return requireKeys(['auth', 'webauthn'], { rp_id: webauthn.rp_id, rp_origins: webauthn.rp_origins.join() })
}

function checkHook(name: string, { uri, secrets }: { uri: string; secrets: string }): Problem[] {
  const at = (key: string) => ['auth', 'hook', name, key]
  if (uri === '') return [missing(...at('uri'))]
  switch (/^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]?.toLowerCase()) {
    case 'http':
    case 'https':
      if (secrets === '') return [missing(...at('secrets'))]
      if (secrets.split('|').every((secret) => HOOK_SECRET.test(secret))) return []
      return [{ path: at('secrets'), message: 'must look like "v1,whsec_" and 32 to 88 characters of base64' }]
    case 'pg-functions':
      return secrets === '' ? [] : [{ path: at('secrets'), message: 'is not used with a pg-functions URI' }]
    default:
      return [{ path: at('uri'), message: 'must begin with http:, https: or pg-functions:' }]
  }
}

function checkMfa({ totp, phone, web_authn, recovery_codes }: Auth['mfa']): Problem[] {
  return Object.entries({ totp, phone, web_authn, recovery_codes }).flatMap(([name, factor]) =>
    factor.enroll_enabled && !factor.verify_enabled
      ? [{ path: ['auth', 'mfa', name, 'enroll_enabled'], message: 'also needs verify_enabled' }]
      : [],
  )
}

function checkEmail({ template, notification, smtp }: Auth['email']): Problem[] {
  const inline = (kind: string, mails: Auth['email']['template']) =>
    Object.entries(mails).flatMap(([name, mail]) =>
      mail.content !== undefined && mail.content_path === ''
        ? [
            {
              path: ['auth', 'email', kind, name, 'content'],
              message: 'cannot be set here; name a file in content_path',
            },
          ]
        : [],
    )
  const enabled = Object.fromEntries(Object.entries(notification).filter(([, mail]) => mail.enabled))
  const problems = [...inline('template', template), ...inline('notification', enabled)]
  if (!smtp?.enabled) return problems
  const { host, port, user, pass, admin_email } = smtp
  return [...problems, ...requireKeys(['auth', 'email', 'smtp'], { host, port: port || '', user, pass, admin_email })]
}

/** Only the first enabled provider counts, in the CLI's order. */
function checkSms({ twilio, twilio_verify, messagebird, textlocal, vonage }: Auth['sms']): Problem[] {
  const providers = { twilio, twilio_verify, messagebird, textlocal, vonage }
  const [name, provider] = Object.entries(providers).find(([, { enabled }]) => enabled) ?? []
  const { content_sid: _optional, ...required } = { content_sid: '', ...provider }
  return name && provider ? requireKeys(['auth', 'sms', name], required) : []
}

function checkProviders(external: Auth['external']): Problem[] {
  return Object.entries(external).flatMap(([name, { enabled, client_id, secret }]) =>
    enabled
      ? requireKeys(['auth', 'external', name], WITHOUT_SECRET.includes(name) ? { client_id } : { client_id, secret })
      : [],
  )
}

function checkThirdParty(issuers: Auth['third_party']): Problem[] {
  const { firebase, auth0, aws_cognito, clerk, workos } = issuers
  const required = {
    firebase: { project_id: firebase.project_id },
    auth0: { tenant: auth0.tenant },
    aws_cognito: { user_pool_id: aws_cognito.user_pool_id, user_pool_region: aws_cognito.user_pool_region },
    clerk: { domain: clerk.domain },
    workos: { issuer_url: workos.issuer_url },
  }
  const enabled = Object.entries(required).filter(([name]) => issuers[name as keyof Auth['third_party']].enabled)
  const problems = enabled.flatMap(([name, keys]) => requireKeys(['auth', 'third_party', name], keys))
  if (clerk.enabled && clerk.domain !== '' && !CLERK_DOMAIN.test(clerk.domain))
    problems.push({
      path: ['auth', 'third_party', 'clerk', 'domain'],
      message: 'must look like clerk.example.com or example.clerk.accounts.dev',
    })
  const second = enabled[1]?.[0]
  if (second !== undefined)
    problems.push({
      path: ['auth', 'third_party', second],
      message: 'is enabled together with another: enable only one',
    })
  return problems
}

const requireKeys = (path: readonly string[], keys: Readonly<Record<string, unknown>>): Problem[] =>
  Object.entries(keys).flatMap(([key, value]) => (value === '' ? [missing(...path, key)] : []))
