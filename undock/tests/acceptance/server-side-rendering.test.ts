// `@supabase/ssr` with the cookie methods of the starters for Next.js, SvelteKit and Nuxt. Each call of `visit` is a browser's
// request to such a server, which creates a new client; only cookies survive between requests.
import { type CookieOptions, createServerClient, parseCookieHeader, serializeCookieHeader } from '@supabase/ssr'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startStack, type TestStack } from '../../src/test-kit/start-stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

let project: TestProject
let stack: TestStack
beforeAll(async () => {
  project = await makeProject({
    // The client refreshes a session that ends within 90 seconds, so here it does on each request.
    'config.toml': `
      project_id = "ssr"
      [edge_runtime]
      enabled = false
      [auth]
      site_url = "http://localhost:3000"
      additional_redirect_urls = ["http://localhost:3000/**"]
      jwt_expiry = 60
      [auth.email]
      max_frequency = "1s"`,
    'migrations/20260101000000_notes.sql': `
      create table public.notes (owner uuid primary key default auth.uid(), body text not null);
      alter table public.notes enable row level security;
      create policy "owners" on public.notes for all using (owner = auth.uid());`,
  })
  stack = await startStack({ workdir: project.folder })
})
afterAll(async () => {
  await stack?.stop()
  await project?.remove()
})

type Cookie = { readonly name: string; readonly value: string }
type Exchange = {
  /** The request header. */
  readonly cookie: string
  /** A response header. */
  readonly setCookie: (name: string, value: string, options: CookieOptions) => void
}

/** The cookie functions of the frameworks' starters. */
const STARTERS = {
  'Next.js': ({ cookie, setCookie }: Exchange) => {
    const all = new Map(parse(cookie).map(({ name, value }) => [name, value]))
    return {
      getAll: () => [...all].map(([name, value]) => ({ name, value })),
      setAll: (cookies: (Cookie & { options: CookieOptions })[]) => {
        // The starter's proxy also sets them on the request, for the pages it forwards to.
        for (const { name, value } of cookies) all.set(name, value)
        for (const { name, value, options } of cookies) setCookie(name, value, options)
      },
    }
  },
  SvelteKit: ({ cookie, setCookie }: Exchange) => ({
    getAll: () => parse(cookie),
    setAll: (cookies: (Cookie & { options: CookieOptions })[]) => {
      for (const { name, value, options } of cookies)
        setCookie(name, value, { httpOnly: true, secure: true, ...options, path: '/' })
    },
  }),
  // One cookie at a time, like the module's first version; the client then reads at most five parts of a session.
  Nuxt: ({ cookie, setCookie }: Exchange) => {
    const sent = new Map<string, string>()
    return {
      get: (name: string) => sent.get(name) ?? parse(cookie).find((one) => one.name === name)?.value,
      set: (name: string, value: string, options: CookieOptions) => {
        sent.set(name, value)
        setCookie(name, value, options)
      },
      remove: (name: string, options: CookieOptions) => {
        sent.set(name, '')
        setCookie(name, '', { ...options, maxAge: 0 })
      },
    }
  },
}

const parse = (header: string): Cookie[] => parseCookieHeader(header).map(({ name, value = '' }) => ({ name, value }))

describe.each(Object.keys(STARTERS) as (keyof typeof STARTERS)[])('%s', (starter) => {
  const browser = new Map<string, string>()

  /** A request handled by `handle`. */
  async function visit<T>(handle: (supabase: SupabaseClient) => Promise<T>): Promise<T> {
    const headers: string[] = []
    const exchange: Exchange = {
      cookie: [...browser].map(([name, value]) => `${name}=${value}`).join('; '),
      setCookie: (name, value, options) => headers.push(serializeCookieHeader(name, value, options)),
    }
    const cookies = STARTERS[starter](exchange)
    // For a module, the package's declarations use the types of supabase-js's CommonJS build, which differ.
    const client: unknown = createServerClient(stack.url, stack.keys.publishable, { cookies } as never)
    const result = await handle(client as SupabaseClient)
    for (const header of headers) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? []
      if (/max-age=0\b/i.test(header)) browser.delete(name)
      else browser.set(name, value)
    }
    return result
  }
  const email = `${starter.replace('.', '').toLowerCase()}@example.org`
  const tokenCookies = () => [...browser.keys()].filter((name) => /-auth-token(\.\d+)?$/.test(name))

  test('a sign-up stores a long session in several cookies, and the next request has the user', async () => {
    const options = { data: { biography: 'long '.repeat(300) } }
    await visit((supabase) => supabase.auth.signUp({ email, password: 'four unrelated lamps', options }))
    expect(tokenCookies().length).toBeGreaterThan(1)
    const { data, error } = await visit((supabase) => supabase.auth.getUser())
    expect([data.user?.email, error]).toEqual([email, null])
    const claims = await visit(async (supabase) => (await supabase.auth.getClaims()).data?.claims)
    expect(claims).toMatchObject({ email, role: 'authenticated' })
  })

  test("writes a user's row in one request and reads it in the next", async () => {
    const written = await visit(async (supabase) => await supabase.from('notes').insert({ body: starter }))
    expect(written.error).toBeNull()
    const { data } = await visit(async (supabase) => await supabase.from('notes').select('body'))
    expect(data).toEqual([{ body: starter }])
  })

  test('a request that refreshes the session updates the cookies', async () => {
    const before = await refreshToken()
    const after = await refreshToken()
    expect(after).not.toBe(before)
    await visit((supabase) => supabase.auth.signOut())
    expect(tokenCookies()).toEqual([])
    expect((await visit((supabase) => supabase.auth.getUser())).data.user).toBeNull()
  })

  const refreshToken = () =>
    visit(async (supabase) => (await supabase.auth.getSession()).data.session?.refresh_token ?? '')

  test("a callback exchanges the email link (PKCE) with an earlier request's verifier", async () => {
    const emailRedirectTo = 'http://localhost:3000/auth/callback'
    const sent = await visit((supabase) => supabase.auth.signInWithOtp({ email, options: { emailRedirectTo } }))
    expect(sent.error).toBeNull()
    const address = await (await stack.lastMail(email)).follow()
    expect(address.pathname).toBe('/auth/callback')
    const code = address.searchParams.get('code') ?? ''
    const { data } = await visit((supabase) => supabase.auth.exchangeCodeForSession(code))
    expect(data.user?.email).toBe(email)
    expect((await visit((supabase) => supabase.auth.getUser())).data.user?.email).toBe(email)
    expect([...browser.keys()].filter((name) => name.endsWith('-auth-token-code-verifier'))).toEqual([])
  })

  test('a route that confirms by token hash signs in', async () => {
    await visit((supabase) => supabase.auth.signOut())
    const admin = createClient(stack.url, stack.keys.secret)
    const { data } = await admin.auth.admin.generateLink({ type: 'magiclink', email })
    const token_hash = data.properties?.hashed_token ?? ''
    const { error } = await visit((supabase) => supabase.auth.verifyOtp({ type: 'email', token_hash }))
    expect(error).toBeNull()
    expect((await visit((supabase) => supabase.auth.getUser())).data.user?.email).toBe(email)
  })
})
