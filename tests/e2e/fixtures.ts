import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { test as base, expect, type Locator, type Page } from '@playwright/test'
import { createServerClient } from '@supabase/ssr'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import { Mailbox } from './mailbox.ts'

export { expect }

const LOCAL = {
  url: 'http://127.0.0.1:54321',
  publishable: 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH',
  secret: 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz',
  mail: 'http://127.0.0.1:54324',
}
export const backend = {
  url: process.env.SUPABASE_URL ?? LOCAL.url,
  publishable: process.env.SUPABASE_PUBLISHABLE_KEY ?? LOCAL.publishable,
  secret: process.env.SUPABASE_SECRET_KEY ?? LOCAL.secret,
  mail: process.env.SUPABASE_MAIL_URL ?? LOCAL.mail,
}

export const PASSWORD = 'four unrelated lamps'

export type Person = { id: string; email: string; password: string; name: string; client: SupabaseClient<Database> }

type Fixtures = {
  mailbox: Mailbox
  newAddress: string
  /** A confirmed user with a client, for test data. */
  person: Person
  another: Person
  third: Person
  /** `person`, signed in in the page's browser. */
  signedIn: Person
  /** A library of `signedIn`, open in the page. */
  library: string
  /** What the page's Content-Security-Policy blocked; a test fails unless it's empty in the end. */
  stopped: string[]
}

const APP_POLICY = /script-src 'self'|worker-src 'self'|object-src 'none'|base-uri 'none'/
/** Chromium also reports documents that are only parsed, as by the sanitizer; a page's own violations are events. */
const PARSED = /^(?:Executing inline event handler|Setting the document's base URI)/
const IN_PAGE = 'stopped in the page: '

/** Whether a console message reports a violation of the page's policy. */
export const isStopped = (said: string): boolean =>
  said.startsWith(IN_PAGE) || (APP_POLICY.test(said) && !PARSED.test(said))

const reportStopped = (prefix: string): void =>
  addEventListener('securitypolicyviolation', ({ target, violatedDirective }) => {
    // biome-ignore lint/suspicious/noConsole: it is how the page tells the test
    if (target !== document) console.error(`${prefix}${violatedDirective}`)
  })

const withoutSession = { auth: { persistSession: false, autoRefreshToken: false } }

export const admin = createClient(backend.url, backend.secret, withoutSession)

export async function createPerson(email: string, name: string): Promise<Person> {
  const { data, error } = await admin.auth.admin.createUser({
    email,
    password: PASSWORD,
    email_confirm: true,
    // The app sets a missing locale at a time that tests can't wait for.
    user_metadata: { display_name: name, locale: 'en' },
  })
  if (error) throw error
  const client = createClient<Database>(backend.url, backend.publishable, withoutSession)
  const signedIn = await client.auth.signInWithPassword({ email, password: PASSWORD })
  if (signedIn.error) throw signedIn.error
  return { id: data.user.id, email, password: PASSWORD, name, client }
}

export const test = base.extend<Fixtures>({
  stopped: [
    async ({ page }, use) => {
      const stopped: string[] = []
      page.on('console', (message) => {
        if (isStopped(message.text())) stopped.push(message.text())
      })
      await page.addInitScript(reportStopped, IN_PAGE)
      await use(stopped)
      expect(stopped).toEqual([])
    },
    { auto: true },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from this pattern
  mailbox: async ({}, use) => use(new Mailbox(backend.mail)),
  // biome-ignore lint/correctness/noEmptyPattern: as above
  newAddress: async ({}, use) => use(`reader-${randomUUID().slice(0, 13)}@example.org`),
  person: async ({ newAddress }, use) => {
    const person = await createPerson(newAddress, 'Ada Lovelace')
    await use(person)
    await admin.auth.admin.deleteUser(person.id)
  },
  another: async ({ newAddress }, use) => {
    const person = await createPerson(`another-${newAddress}`, 'Mary Somerville')
    await use(person)
    await admin.auth.admin.deleteUser(person.id)
  },
  third: async ({ newAddress }, use) => {
    const person = await createPerson(`third-${newAddress}`, 'Grace Hopper')
    await use(person)
    await admin.auth.admin.deleteUser(person.id)
  },
  signedIn: async ({ page, person }, use) => {
    await enter(page, person)
    await use(person)
  },
  library: async ({ page, signedIn }, use) => {
    const { data } = await signedIn.client.rpc('create_library', { name: 'Reading group' }).throwOnError()
    await page.goto(`/l/${data.id}`)
    // The shelf is rendered before rights are known, and accepts keys afterwards.
    await page.getByRole('button', { name: 'Write a note' }).waitFor()
    await use(data.id)
    await signedIn.client.from('libraries').delete().eq('id', data.id)
  },
})

export async function addMember(
  owner: Person,
  library: string,
  member: Person,
  role: 'editor' | 'reader',
): Promise<void> {
  const { data } = await owner.client.rpc('invite_member', { library, email: member.email, role }).throwOnError()
  await member.client.rpc('accept_invitation', { invitation: (data as { id: string }).id }).throwOnError()
}

/** Signs a user in through cookies written by the app's own client. The sign-in screens have their own tests. */
export async function enter(page: Page, { email, password }: Pick<Person, 'email' | 'password'>): Promise<void> {
  const written: { name: string; value: string }[] = []
  const client = createServerClient(backend.url, backend.publishable, {
    cookies: { getAll: () => [], setAll: (cookies) => void written.push(...cookies) },
    // The list of sessions shows the browser.
    global: { headers: { 'user-agent': await page.evaluate(() => navigator.userAgent) } },
  })
  const { error } = await client.auth.signInWithPassword({ email, password })
  if (error) throw error
  const url = test.info().project.use.baseURL as string
  await page.context().addCookies(written.map(({ name, value }) => ({ name, value, url })))
}

export async function signIn(page: Page, { email, password }: Pick<Person, 'email' | 'password'>): Promise<void> {
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'My libraries' }).waitFor()
}

export async function choose(field: Locator, value: string | RegExp): Promise<void> {
  await field.click()
  await field.page().getByRole('option', { name: value }).click()
}

export async function filter(page: Page, name: string, value: string): Promise<void> {
  const sheet = page.getByRole('dialog', { name: 'Filter' })
  await page.getByRole('button', { name: /^Filter/ }).click()
  await choose(sheet.getByLabel(name), value)
  await sheet.getByRole('button', { name: 'Done' }).click()
}

export const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))

export async function drop(page: Page, files: readonly { name: string; type: string; bytes: Buffer }[]): Promise<void> {
  const transfer = await page.evaluateHandle(
    (dropped) => {
      const data = new DataTransfer()
      for (const { name, type, base64 } of dropped) {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
        data.items.add(new File([bytes], name, { type }))
      }
      return data
    },
    files.map(({ name, type, bytes }) => ({ name, type, base64: bytes.toString('base64') })),
  )
  // The page doesn't accept files from the first moment.
  await expect(async () => {
    await page.dispatchEvent('body', 'dragenter', { dataTransfer: transfer })
    await expect(page.getByText('Drop it anywhere')).toBeVisible({ timeout: 500 })
  }).toPass({ timeout: 30_000 })
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer })
}
