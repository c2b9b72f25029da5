import { expect, PASSWORD, signIn, test } from './fixtures.ts'

test('a wrong password does not reveal whether the account exists', async ({ page, person, newAddress }) => {
  const said: (string | null)[] = []
  for (const email of [person.email, `nobody-${newAddress}`]) {
    await page.goto('/sign-in')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill('not the password')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(page.getByRole('alert')).toContainText('do not match')
    said.push(await page.getByRole('alert').textContent())
  }
  expect(said[0]).toBe(said[1])
})

test('sign-in methods that load late do not move the form', { tag: '@nightly' }, async ({ page }) => {
  test.skip(!process.env.SUPABASE_AUTH_EXTERNAL_KEYCLOAK_URL, 'this backend has no sign-in provider')
  const answered = Promise.withResolvers<void>()
  await page.route('**/auth/v1/settings*', async (route) => {
    await answered.promise
    await route.continue()
  })
  await page.goto('/sign-in')
  const signIn = page.getByRole('button', { name: 'Sign in', exact: true })
  await expect(signIn).toBeVisible()
  await page.evaluate(async () => void (await document.fonts.ready))
  const before = await signIn.boundingBox()
  answered.resolve()
  await page.getByRole('button', { name: /^Continue with/ }).waitFor()
  expect(await signIn.boundingBox()).toEqual(before)
})

test('signing in opens the requested page', async ({ page, person }) => {
  await page.goto('/settings/appearance')
  await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible()
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Appearance' })).toBeVisible()
})

test('a member signs in with an emailed link, which works once', { tag: '@nightly' }, async ({
  page,
  person,
  mailbox,
  context,
}) => {
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(person.email)
  await page.getByRole('button', { name: 'Email me a link and a code' }).click()
  await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible()
  const mail = await mailbox.nextTo(person.email)
  expect(mail.subject).toBe('Your sign-in link')
  // Opening the link uses nothing up; the button does.
  await page.goto(mail.link)
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('heading', { name: 'My libraries' })).toBeVisible()

  await context.clearCookies()
  await page.goto(mail.link)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('heading', { name: 'This link didn’t work' })).toBeVisible()
  await expect(page.getByRole('alert')).toContainText('expired or was already used')
  await page.getByRole('link', { name: 'Ask for a new link' }).click()
  await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible()
})

test('a member signs in with an emailed code', async ({ page, person, mailbox }) => {
  await page.goto('/sign-in')
  // Without an address, the field for it gets the focus.
  await page.getByRole('button', { name: 'Email me a link and a code' }).click()
  await page.keyboard.type(person.email)
  await page.getByRole('button', { name: 'Email me a link and a code' }).click()
  const mail = await mailbox.nextTo(person.email)
  await expect(page.getByLabel('Code from the email')).toBeFocused()
  await page.keyboard.type('000000\n')
  await expect(page.getByRole('alert')).toContainText('expired or was already used')
  await page.keyboard.type(`${mail.code}\n`)
  await expect(page.getByRole('heading', { name: 'My libraries' })).toBeVisible()
})

test('a recovery link only allows setting a new password, in every tab', async ({ page, person, mailbox, context }) => {
  await page.goto('/recover')
  await expect(page.getByLabel('Email')).toBeFocused()
  await page.keyboard.type(`${person.email}\n`)
  const mail = await mailbox.nextTo(person.email)
  await page.goto(mail.link)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByLabel('New password')).toBeVisible()
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Set a new password' })).toBeVisible()
  const other = await context.newPage()
  await other.goto('/settings/profile')
  await expect(other.getByRole('heading', { name: 'Set a new password' })).toBeVisible()
  await page.bringToFront()
  await expect(page.getByLabel('New password')).toBeFocused()
  await page.keyboard.type('five quite different lamps\n')
  await expect(page.getByRole('heading', { name: 'My libraries' })).toBeVisible()
  await expect(other.getByRole('heading', { name: 'Set a new password' })).toBeHidden()

  await context.clearCookies()
  await signIn(page, { email: person.email, password: 'five quite different lamps' })
})

test('signing in or out applies to other tabs', async ({ page, person, context }) => {
  const other = await context.newPage()
  await other.goto('/sign-in')
  await signIn(page, person)
  await expect(other.getByRole('heading', { name: 'My libraries' })).toBeVisible()
  await page.getByRole('button', { name: /Account of/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible()
  await expect(other.getByRole('heading', { name: 'Welcome back' })).toBeVisible()
})

test("the security screen shows the session's user, expiry and valid signature", async ({ page, signedIn }) => {
  await page.goto('/settings/security')
  await expect(page.getByRole('definition').filter({ hasText: signedIn.email })).toBeVisible()
  await expect(page.getByText('Not used in this session')).toBeVisible()
  await page.getByText('Technical details').click()
  await expect(page.getByText('Checked against the project’s public keys')).toBeVisible()
  await expect(page.getByText('renewed automatically')).toBeVisible()
})

test('a weak password is rejected before it is sent', { tag: '@nightly' }, async ({ page, newAddress }) => {
  await page.goto('/sign-up')
  await page.getByLabel('Your name').fill('Ada')
  await page.getByLabel('Email').fill(newAddress)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD.slice(0, 5))
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('alert')).toContainText('at least 10 characters')
})
