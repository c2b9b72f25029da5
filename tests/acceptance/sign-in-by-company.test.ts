import { fileURLToPath } from 'node:url'
import { createClient, FunctionsHttpError, type SupabaseClient } from '@supabase/supabase-js'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import { type Stack, startStack } from '../../undock/src/runtime/stack/stack.ts'
import { newSamlKey } from '../../undock/src/testing/saml-provider.ts'
import { type Company, startCompany } from '../support/company.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PUBLISHABLE = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'
const SECRET = 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'
const PASSWORD = 'four unrelated lamps'

let stack: Stack
let company: Company
let service: SupabaseClient<Database>
let owner: SupabaseClient<Database>
let reader: SupabaseClient<Database>
let library: string

beforeAll(async () => {
  company = await startCompany()
  vi.stubEnv('SUPABASE_AUTH_SAML_ENABLED', 'true')
  vi.stubEnv('SUPABASE_AUTH_SAML_PRIVATE_KEY', newSamlKey())
  vi.stubEnv('SUPABASE_EDGE_RUNTIME_SECRETS_DOMAIN_RESOLVER', company.resolver)
  stack = await startStack({ workdir: ROOT, ports: 'free', state: 'memory' })
  service = createClient<Database>(stack.url, SECRET, { auth: { persistSession: false } })
  owner = await person('owner@company.example')
  reader = await person('reader@company.example')
  library = (await owner.rpc('create_library', { name: 'Lab' }).throwOnError()).data.id
  const { data } = await reader.auth.getUser()
  await service
    .from('members')
    .insert({ library_id: library, user_id: data.user?.id ?? '', role: 'editor' })
    .throwOnError()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await stack?.stop()
  await company?.stop()
})

const client = () =>
  createClient<Database>(stack.url, PUBLISHABLE, { auth: { persistSession: false, flowType: 'implicit' } })

async function person(email: string): Promise<SupabaseClient<Database>> {
  const { error } = await service.auth.admin.createUser({ email, password: PASSWORD, email_confirm: true })
  if (error) throw error
  const own = client()
  await own.auth.signInWithPassword({ email, password: PASSWORD })
  return own
}

/** Signs in with the company, like a browser. @returns a client with the session, or the auth service's error */
async function byCompany(email: string): Promise<SupabaseClient<Database> | string> {
  const own = client()
  const { data, error } = await own.auth.signInWithSSO({ domain: 'company.example' })
  if (error) return error.message
  const { acs, form } = company.respond(new URL(data.url), email)
  const response = await fetch(acs, { method: 'POST', body: form, redirect: 'manual' })
  const location = new URL(response.headers.get('location') ?? '')
  const tokens = new URLSearchParams(location.hash.slice(1))
  const [access_token, refresh_token] = [tokens.get('access_token'), tokens.get('refresh_token')]
  if (!access_token || !refresh_token) return location.searchParams.get('error_description') ?? location.href
  await own.auth.setSession({ access_token, refresh_token })
  return own
}
const asColleague = async (email: string): Promise<SupabaseClient<Database>> => {
  const own = await byCompany(email)
  if (typeof own === 'string') throw new Error(own)
  return own
}

/** @returns the function's response, or the first sentence of its refusal */
async function call(as: SupabaseClient<Database>, body: object): Promise<unknown> {
  const { data, error } = await as.functions.invoke('single-sign-on', { body })
  if (!(error instanceof FunctionsHttpError)) return data
  const { message } = await error.context.json()
  return `${error.context.status} ${/^.*?[.:]/.exec(message)?.[0]}`
}
const seen = async (as: SupabaseClient<Database>) =>
  (await as.from('libraries').select('id').eq('id', library).throwOnError()).data.length
const roleOf = async (as: SupabaseClient<Database>) => {
  const { data } = await as.auth.getUser()
  const members = await service.from('members').select('role').match({ library_id: library, user_id: data.user?.id })
  return members.data?.[0]?.role
}

test('an owner sets up company sign-in, colleagues join, and passwords stop working once it is required', async () => {
  const { data: claimed } = await owner
    .rpc('claim_sign_in_domain', { library, domain: 'company.example' })
    .throwOnError()
  const { id: domain, token } = claimed
  const metadata = { xml: company.metadata }
  expect(await call(reader, { action: 'verify', domain })).toBe('404 This domain no longer exists.')
  expect(await call(owner, { action: 'connect', domain, metadata })).toBe('409 Verify the domain first.')
  expect(await call(owner, { action: 'verify', domain })).toBe('409 The domain doesn’t have this record yet.')
  company.records.set('_carrel.company.example', 'carrel-verification=other')
  expect(await call(owner, { action: 'verify', domain })).toBe('409 The domain’s record has a different value.')
  company.records.set('_carrel.company.example', `carrel-verification=${token}`)
  expect(await call(owner, { action: 'verify', domain })).toEqual({ verified: true })
  expect(await call(owner, { action: 'connect', domain, metadata: { xml: '<x/>' } })).toBe(
    '400 The metadata isn’t accepted:',
  )
  expect(await call(owner, { action: 'connect', domain, metadata: { xml: `<x>${'y'.repeat(1_100_000)}</x>` } })).toBe(
    '413 The body of the request is larger than 1 MB.',
  )
  expect(await byCompany('new@company.example')).toBe('No SSO provider assigned for this domain')
  expect(await call(owner, { action: 'connect', domain, metadata })).toEqual({ connected: true })
  expect(await call(owner, { action: 'connect', domain, metadata })).toEqual({ connected: true })

  // A colleague without an account, one with an account, and one with someone else's address from the provider.
  const change = (values: object) => owner.from('sign_in_domains').update(values).eq('id', domain).throwOnError()
  await change({ company: 'Company', new_member_role: 'reader' })
  const fresh = await asColleague('new@company.example')
  expect(await seen(fresh)).toBe(0)
  expect((await fresh.rpc('join_by_company').throwOnError()).data).toEqual([library])
  expect([await seen(fresh), await roleOf(fresh)]).toEqual([1, 'reader'])
  const same = await asColleague('Reader@company.example')
  await same.rpc('join_by_company').throwOnError()
  expect([await seen(same), await roleOf(same)]).toEqual([1, 'editor'])
  const foreign = await asColleague('owner@elsewhere.example')
  expect((await foreign.rpc('join_by_company').throwOnError()).data).toEqual([])

  // Required: passwords no longer work, except for owners.
  expect(await seen(reader)).toBe(1)
  await change({ is_required: true })
  expect([await seen(reader), await seen(same), await seen(fresh), await seen(owner)]).toEqual([0, 1, 1, 1])
  expect((await reader.rpc('companies_to_sign_in').throwOnError()).data).toEqual([
    { company: 'Company', domain: 'company.example', libraries: [library] },
  ])
  await reader.auth.refreshSession()
  await same.auth.refreshSession()
  expect([await seen(reader), await seen(same)]).toEqual([0, 1])

  // Removed people stay removed, although the company still knows them.
  const { data: gone } = await fresh.auth.getUser()
  await owner.from('members').delete().match({ library_id: library, user_id: gone.user?.id }).throwOnError()
  const again = await asColleague('new@company.example')
  expect((await again.rpc('join_by_company').throwOnError()).data).toEqual([])

  // Two domains share a provider; removing one keeps it, deleting the library ends it.
  const { data: second } = await owner.rpc('claim_sign_in_domain', { library, domain: 'company.org' }).throwOnError()
  company.records.set('company.org', `carrel-verification=${second.token}`)
  await call(owner, { action: 'verify', domain: second.id })
  expect(await call(owner, { action: 'connect', domain: second.id, metadata })).toBe(
    '409 This identity provider is already set up here.',
  )
  expect(await call(owner, { action: 'connect', domain: second.id, metadata: { same_as: domain } })).toEqual({
    connected: true,
  })
  expect(await call(owner, { action: 'remove', domain })).toEqual({ removed: true })
  expect(await byCompany('new@company.example')).toBe('No SSO provider assigned for this domain')
  expect(await seen(reader)).toBe(1)
  expect((await client().auth.signInWithSSO({ domain: 'company.org' })).error).toBeNull()
  await owner.from('libraries').delete().eq('id', library).throwOnError()
  await service.functions.invoke('purge', { body: {} })
  expect((await client().auth.signInWithSSO({ domain: 'company.org' })).error?.message).toBe(
    'No SSO provider assigned for this domain',
  )
})

test('an identity provider unused for a day passes to another library with an equal claim', async () => {
  const metadata = { xml: company.metadata }
  const claim = async (as: SupabaseClient<Database>, domain: string): Promise<string> => {
    const { data: made } = await as.rpc('create_library', { name: domain }).throwOnError()
    const { data } = await as.rpc('claim_sign_in_domain', { library: made.id, domain }).throwOnError()
    company.records.set(domain, `carrel-verification=${data.token}`)
    expect(await call(as, { action: 'verify', domain: data.id })).toEqual({ verified: true })
    return data.id
  }
  const [theirs, own] = [await claim(reader, 'rival.example'), await claim(owner, 'company.net')]
  expect(await call(reader, { action: 'connect', domain: theirs, metadata })).toEqual({ connected: true })
  const share = { action: 'connect', domain: own, metadata: { same_as: theirs } }
  expect(await call(owner, share)).toBe('409 That domain has no identity provider to share.')
  const connect = { action: 'connect', domain: own, metadata }
  expect(await call(owner, connect)).toBe('409 This identity provider is already set up here.')
  const database = new pg.Client(stack.dbUrl)
  await database.connect()
  await database.query("update auth.sso_providers set created_at = created_at - interval '25 hours'")
  await database.end()
  expect(await call(owner, connect)).toEqual({ connected: true })
  expect((await client().auth.signInWithSSO({ domain: 'rival.example' })).error).not.toBeNull()
  expect((await client().auth.signInWithSSO({ domain: 'company.net' })).error).toBeNull()
})
