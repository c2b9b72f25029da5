import { expect, signIn, test } from './fixtures.ts'

test.describe('in a German browser', () => {
  test.use({ locale: 'de-AT' })

  test('the app speaks German, writes dates and numbers so, and can be told to speak English', async ({
    page,
    person,
  }) => {
    await page.goto('/sign-in')
    await expect(page.getByRole('heading', { name: 'Willkommen zurück' })).toBeVisible()
    await expect(page.locator('html')).toHaveAttribute('lang', 'de')
    await page.getByLabel('E-Mail').fill(person.email)
    await page.getByLabel('Passwort', { exact: true }).fill('nicht das Passwort')
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    await expect(page.getByRole('alert')).toContainText('passen nicht zusammen')
    await page.getByLabel('Passwort', { exact: true }).fill(person.password)
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'Meine Bibliotheken' })).toBeVisible()
    await page.goto('/settings/security')
    await expect(page.getByText(/in 5\d Minuten; wird vorher von selbst erneuert/)).toBeVisible()
    await page.goto('/settings/appearance')
    await page.getByLabel('Sprache').selectOption('English')
    await expect(page.getByRole('heading', { name: 'Appearance' })).toBeVisible()
    await expect(page.locator('html')).toHaveAttribute('lang', 'en')
    await page.reload()
    await expect(page.getByRole('heading', { name: 'Appearance' })).toBeVisible()
  })
})

test('a language chosen in one tab is spoken in the other', async ({ page, person, context }) => {
  await signIn(page, person)
  await page.goto('/settings/appearance')
  const other = await context.newPage()
  await other.goto('/')
  await expect(other.getByRole('heading', { name: 'My libraries' })).toBeVisible()
  await page.getByLabel('Language', { exact: true }).selectOption('Deutsch')
  await expect(page.getByRole('heading', { name: 'Darstellung' })).toBeVisible()
  await expect(other.getByRole('heading', { name: 'Meine Bibliotheken' })).toBeVisible()
})
