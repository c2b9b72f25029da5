// Invitations mailed by the auth service, in a project without a mail server for functions.
import { fileURLToPath } from 'node:url'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import { type Stack, startStack } from '../../undock/src/runtime/stack/stack.ts'
import { Mailbox } from '../e2e/mailbox.ts'

const READING_ROOM = 'de300000-0000-4000-8000-000000000010'
const PUBLISHABLE = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'
const SECRET = 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'
const SITE = 'http://localhost:5173'

let stack: Stack
let mailbox: Mailbox
let service: SupabaseClient<Database>
let demo: SupabaseClient<Database>

beforeAll(async () => {
  stack = await startStack({
    workdir: fileURLToPath(new URL('../../', import.meta.url)),
    ports: 'free',
    state: 'memory',
  })
  mailbox = new Mailbox(stack.mailUrl ?? '')
  service = createClient<Database>(stack.url, SECRET, { auth: { persistSession: false } })
  demo = createClient<Database>(stack.url, PUBLISHABLE, { auth: { persistSession: false } })
  await demo.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
})
afterAll(() => stack?.stop())

async function invite(email: string, role: 'reader' | 'editor', library = READING_ROOM) {
  const { data, error } = await demo.functions.invoke('invite', { body: { library, email, role, site: SITE } })
  return error ? error.context.status : data
}
async function metadataOf(email: string) {
  const { data, error } = await service.auth.admin.listUsers()
  if (error) throw error
  return data.users.find((user) => user.email === email)?.user_metadata
}

test('a new address is invited, again with the latest role, and no invitation data is kept', async () => {
  const email = 'new@example.org'
  const first = await invite(email, 'editor')
  expect(first).toMatchObject({ mail: 'sent' })
  const mail = await mailbox.nextTo(email)
  expect(mail.text).toContain('Dana Demo invites you to the library “Reading room”, as editor.')
  expect(mail.link).toMatch(new RegExp(`^${SITE}/invite/${first.token}\\?key=.`))
  expect(await metadataOf(email)).toMatchObject({ locale: 'en' })
  const second = await invite(email, 'reader')
  expect(second).toMatchObject({ mail: 'sent' })
  expect((await mailbox.nextTo(email)).text).toContain('invites you to the library “Reading room”, as reader.')
  expect(await metadataOf(email)).not.toHaveProperty('invitation')
})

test('an address with an account gets a sign-in link, and no invitation data is kept', async () => {
  const email = 'mary@example.org'
  await service.auth.admin.createUser({ email, email_confirm: true })
  const { mail, token } = await invite(email, 'reader')
  expect(mail).toBe('sent')
  const sent = await mailbox.nextTo(email)
  expect(sent.subject).toBe('You are invited to a library')
  expect(sent.text).toContain('Dana Demo invites you to the library “Reading room”, as reader.')
  expect(sent.link).toContain(`${SITE}/auth/callback?next=${encodeURIComponent(`/invite/${token}`)}#token_hash=`)
  expect(await metadataOf(email)).not.toHaveProperty('invitation')
})

test('users who cannot invite are rejected', async () => {
  expect(await invite('new@example.org', 'reader', 'de300000-0000-4000-8000-00000000ffff')).toBe(403)
  expect(await invite('demo@carrel.local', 'reader')).toBe(409)
})
