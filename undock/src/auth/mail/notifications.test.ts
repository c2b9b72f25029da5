import { generateSync } from 'otplib'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { codeIn, startTestAuth, type TestAuth } from '../../testing/auth.ts'

const NAMES = [
  'password_changed',
  'email_changed',
  'phone_changed',
  'identity_unlinked',
  'mfa_factor_enrolled',
  'mfa_factor_unenrolled',
] as const

const settings = (enabled: boolean) => `
[auth]
enable_manual_linking = true
[auth.email]
enable_confirmations = true
double_confirm_changes = false
[auth.sms]
enabled = true
enable_confirmations = true
[auth.sms.test_otp]
15550002 = "123456"
15550003 = "123456"
[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true
${NAMES.map((name) => `[auth.email.notification.${name}]\nenabled = ${enabled}\nsubject = "${name}"\n`).join('')}`

let told: TestAuth
let untold: TestAuth
beforeAll(async () => {
  told = await startTestAuth(settings(true))
  untold = await startTestAuth(settings(false))
})
afterAll(() => Promise.all([told.close(), untold.close()]))

const password = 'correct horse'
let count = 0

async function member(auth: TestAuth) {
  const email = `notified${++count}@example.com`
  const phone = `1666000${count}`
  await auth
    .client({ secret: true })
    .auth.admin.createUser({ email, phone, password, email_confirm: true, phone_confirm: true })
  const client = auth.client()
  await client.auth.signInWithPassword({ email, password })
  return { auth, client, email, phone }
}

type Member = Awaited<ReturnType<typeof member>>

const setPassword = ({ client }: Member) => client.auth.updateUser({ password: 'battery staple' })

async function setEmail({ auth, client, email }: Member) {
  const next = `next-${email}`
  await client.auth.updateUser({ email: next })
  return auth.client().auth.verifyOtp({ email: next, token: codeIn(auth.mailTo(next)), type: 'email_change' })
}

async function setPhone({ auth, client }: Member) {
  const phone = auth === told ? '15550002' : '15550003'
  await client.auth.updateUser({ phone })
  return auth.client().auth.verifyOtp({ phone, token: '123456', type: 'phone_change' })
}

async function unlinkPhone({ client }: Member) {
  const { data } = await client.auth.getUserIdentities()
  const identity = data?.identities.find(({ provider }) => provider === 'phone')
  if (!identity) throw new Error('no identity')
  return client.auth.unlinkIdentity(identity)
}

async function enroll({ auth, client }: Member) {
  const { data } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'app' })
  if (data?.type !== 'totp') throw new Error('no factor')
  const code = generateSync({ secret: data.totp.secret, epoch: Math.floor(auth.clock.now().getTime() / 1000) })
  return { ...(await client.auth.mfa.challengeAndVerify({ factorId: data.id, code })), id: data.id }
}

async function unenroll(who: Member) {
  const { id } = await enroll(who)
  return who.client.auth.mfa.unenroll({ factorId: id })
}

const CASES = [
  ['password_changed', setPassword],
  ['email_changed', setEmail],
  ['phone_changed', setPhone],
  ['identity_unlinked', unlinkPhone],
  ['mfa_factor_enrolled', enroll],
  ['mfa_factor_unenrolled', unenroll],
] as const

beforeEach(() => {
  told.mails.length = 0
  untold.mails.length = 0
})

test.each(CASES)('%s is sent once to the affected address if enabled', async (name, act) => {
  const known = await member(told)
  expect((await act(known)).error).toBeNull()
  expect(told.mails.filter(({ subject }) => subject === name).map(({ to }) => to)).toEqual([known.email])
  expect((await act(await member(untold))).error).toBeNull()
  expect(untold.mails.filter(({ subject }) => subject === name)).toEqual([])
})

test('adding the first phone number is not a change', async () => {
  const email = `first${++count}@example.com`
  await told.client({ secret: true }).auth.admin.createUser({ email, password, email_confirm: true })
  const client = told.client()
  await client.auth.signInWithPassword({ email, password })
  await client.auth.updateUser({ phone: '15550003' })
  expect((await client.auth.verifyOtp({ phone: '15550003', token: '123456', type: 'phone_change' })).error).toBeNull()
  expect(told.mails).toEqual([])
})
