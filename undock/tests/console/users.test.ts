import { createClient } from '@supabase/supabase-js'
import { expectAccessible } from './accessibility.ts'
import { expect, HOSTILE, test } from './fixtures.ts'

type Backend = { stack: { url: string; identity: { keys: { publishable: string; secret: string } } } }

const clientFor = ({ stack }: Backend, key: 'publishable' | 'secret') =>
  createClient(stack.url, stack.identity.keys[key], { auth: { persistSession: false, autoRefreshToken: false } })

/** Creates a user like the app's backend would. */
async function makeUser(backend: Backend, email: string, fields: object = {}) {
  const { data, error } = await clientFor(backend, 'secret').auth.admin.createUser({
    email,
    password: 'secret-123',
    email_confirm: true,
    ...fields,
  })
  if (error) throw error
  return data.user
}

test('adds, changes, bans and deletes a user', async ({ page, backend }) => {
  const app = clientFor(backend, 'publishable')
  const signIn = async (email: string, password: string) =>
    (await app.auth.signInWithPassword({ email, password })).error?.code ?? 'signed in'
  await page.goto('/users?add=true')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Email', { exact: true }).fill('grace@example.com')
  await dialog.getByLabel('Password').fill('first-secret')
  await dialog.getByLabel('User metadata').fill('{"full_name": "Grace Hopper"')
  await dialog.getByRole('button', { name: 'Create user' }).click()
  await expect(dialog.getByRole('alert')).toContainText('This is not valid JSON')
  await dialog.getByLabel('User metadata').fill('{"full_name": "Grace Hopper"}')
  await expectAccessible(page, 'the dialog')
  await dialog.getByRole('button', { name: 'Create user' }).click()
  await expect(page.getByRole('heading', { name: 'grace@example.com' })).toBeVisible()
  expect(await signIn('grace@example.com', 'first-secret')).toBe('signed in')

  await page.getByLabel('Email', { exact: true }).fill('hopper@example.com')
  await page.getByLabel('New password').fill('short')
  await page.getByRole('button', { name: 'Save the account' }).click()
  await expect(page.getByRole('alert')).toContainText('Password should be at least 6 characters')
  await page.getByLabel('New password').fill('second-secret')
  await page.getByRole('button', { name: 'Save the account' }).click()
  await expect(page.getByRole('heading', { name: 'hopper@example.com' })).toBeVisible()
  expect(await signIn('hopper@example.com', 'second-secret')).toBe('signed in')

  await page.getByLabel('User metadata').fill('{"rank": 1}')
  await page.getByRole('button', { name: 'Save user metadata' }).click()
  await expect(page.getByText('User metadata is saved.')).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('User metadata')).toHaveValue('{\n  "rank": 1\n}')

  await page.getByRole('button', { name: 'Ban' }).click()
  await expect(page.getByText(/^Banned until/)).toBeVisible()
  expect(await signIn('hopper@example.com', 'second-secret')).toBe('user_banned')
  await page.getByRole('button', { name: 'Lift the ban' }).click()
  await expect(page.getByText('A banned user cannot sign in')).toBeVisible()
  expect(await signIn('hopper@example.com', 'second-secret')).toBe('signed in')

  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByRole('button', { name: 'Delete user' }).click()
  await expect(page).toHaveURL(/\/users$/)
  expect(await signIn('hopper@example.com', 'second-secret')).toBe('invalid_credentials')
})

test('invites and confirms a user, who receives an email and gets a row from a trigger', { tag: '@nightly' }, async ({
  page,
}) => {
  await page.goto('/users')
  await page.getByRole('button', { name: 'Add user' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('How').selectOption('invitation')
  await dialog.getByLabel('Email', { exact: true }).fill('invited@example.com')
  await dialog.getByRole('button', { name: 'Send the invitation' }).click()
  await expect(page.getByText('Not confirmed.')).toBeVisible()
  await page.getByRole('button', { name: 'Confirm the email' }).click()
  await expect(page.getByText(/^Confirmed /)).toBeVisible()
  await page.getByRole('button', { name: 'Send: password recovery' }).click()
  await expect(
    page.getByText(/Password recovery is sent to invited@example.com|you can only request this after/),
  ).toBeVisible()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByLabel('Keep the row (soft delete)').check()
  await dialog.getByRole('button', { name: 'Delete user' }).click()
  await expect(page.getByText(/^deleted .*the row was kept$/)).toBeVisible()
  await page.goto('/users?state=deleted')
  await expect(page.getByText(/^1 of /)).toBeVisible()
})

test('starts a session for the app, checks its token and ends it', async ({ page, context, backend }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const user = await makeUser(backend, 'lin@example.com')
  await page.goto(`/users/${user.id}?dialog=sign-in`)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Begin a session' }).click()
  await expect(dialog.getByText('Valid. Requests with it have the role authenticated.')).toBeVisible()
  await expectAccessible(page, 'the session')
  const copy = async (name: string) => {
    await dialog.getByRole('button', { name: `Copy: ${name}`, exact: true }).click()
    await expect(dialog.getByRole('button', { name: 'Copied' })).toBeVisible()
    const text = await page.evaluate(() => navigator.clipboard.readText())
    await expect(dialog.getByRole('button', { name: 'Copied' })).toBeHidden()
    return text
  }
  const session = { access_token: await copy('Access token'), refresh_token: await copy('Refresh token') }
  const app = clientFor(backend, 'publishable')
  const { data } = await app.auth.setSession(session)
  expect(data.user?.email).toBe('lin@example.com')
  await dialog.getByRole('button', { name: 'Close' }).click()

  await page.getByRole('button', { name: 'End', exact: true }).click()
  await expect(page.getByText('The user has no sessions.')).toBeVisible()
  expect((await app.auth.refreshSession()).error?.code).toMatch(/refresh_token_not_found|session_not_found/)

  await page.goto('/users/token')
  const field = page.getByLabel('Token or API key')
  await field.fill(`Bearer ${session.access_token}`)
  await expect(page.getByText('Its session has ended')).toBeVisible()
  await field.fill(`${session.access_token.slice(0, -4)}AAAA`)
  await expect(page.getByText(/^Every service refuses it/)).toBeVisible()
  await field.fill(backend.stack.identity.keys.secret)
  await expect(page.getByText('Valid. Requests with it have the role service_role.')).toBeVisible()
  await expectAccessible(page, 'the token')
})

test('lists and deletes factors', { tag: '@nightly' }, async ({ page, backend }) => {
  const user = await makeUser(backend, 'factor@example.com')
  // The project keeps factor enrolment off, the default.
  await backend.stack.db.query({
    text: `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at)
      values (gen_random_uuid(), $1, $2, 'totp', 'verified', now(), now())`,
    values: [user.id, HOSTILE],
  })
  await page.goto(`/users/${user.id}`)
  await expectAccessible(page, 'the user')
  await page.getByRole('button', { name: `Delete the factor ${HOSTILE}` }).click()
  await expect(page.getByText('The user has no second factor and no passkey.')).toBeVisible()
  const { data } = await clientFor(backend, 'secret').auth.admin.mfa.listFactors({ userId: user.id })
  expect(data?.factors).toEqual([])
})

test('lists, searches and navigates thousands of users with the keyboard', { tag: '@nightly' }, async ({
  page,
  backend,
}) => {
  await backend.stack.db.query({
    text: `insert into auth.users (instance_id, id, aud, role, email, phone, created_at, email_confirmed_at, raw_app_meta_data, raw_user_meta_data)
      select '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated',
        'crowd' || n || '@example.com', (491000000000 + n)::text, now() - interval '1 year' - n * interval '1 minute', now(), '{}',
        jsonb_build_object('full_name', case n when 1 then $1 else 'Person ' || n end) from generate_series(1, 2500) n`,
    values: [HOSTILE],
  })
  await page.goto('/users')
  await page.getByLabel('Search users').fill('crowd')
  await expect(page.getByText(/^2,500 of /)).toBeVisible()
  await expect(page.getByText('<img src=x onerror')).toBeVisible()
  await expectAccessible(page, 'the list')
  const rows = page.getByRole('list', { name: 'List of users' })
  await rows.getByRole('link', { name: /^crowd1@/ }).focus()
  // This loads the second page of a hundred.
  await expect(async () => {
    await page.keyboard.press('ArrowDown')
    await expect(rows.getByRole('link', { name: /^crowd151@/ })).toBeFocused({ timeout: 1 })
  }).toPass({ intervals: [20] })
  await page.getByLabel('Search users').fill('+491000002500')
  await expect(rows.getByRole('link')).toHaveCount(1)
  await page.getByLabel('Search users').fill('nobody-is-called-so')
  await expect(page.getByRole('heading', { name: 'No matching users' })).toBeVisible()
  await page.getByRole('button', { name: 'Show all users' }).click()
  await expect(page.getByLabel('Search users')).toHaveValue('')
  await page.getByLabel('State').selectOption('banned')
  await expect(page).toHaveURL(/state=banned/)
})

test('reports a missing user and an unreachable backend', { tag: '@nightly' }, async ({ page }) => {
  await page.goto('/users/00000000-0000-4000-8000-000000000000')
  await expect(page.getByRole('heading', { name: 'There is no such user' })).toBeVisible()
  await page.route('**/api/query', (route) => route.abort())
  await page.goto('/users')
  await expect(page.getByRole('alert')).toContainText('The backend does not respond')
  await page.unroute('**/api/query')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('alert')).toBeHidden()
})
