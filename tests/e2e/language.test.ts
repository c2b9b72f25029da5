import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import german from '../../src/locales/de.json' with { type: 'json' }
import { choose, enter, expect, fixture, test } from './fixtures.ts'

test.describe('in a German browser', () => {
  test.use({ locale: 'de-AT' })

  test('the app is in German, with German dates and numbers, and can be switched to English', async ({
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
    await page.getByText('Technische Angaben').click()
    await expect(page.getByText(/in 5\d Minuten; wird vorher von selbst erneuert/)).toBeVisible()
    await page.goto('/settings/appearance')
    await choose(page.getByLabel('Sprache'), 'English')
    await expect(page.getByRole('heading', { name: 'Appearance' })).toBeVisible()
    await expect(page.locator('html')).toHaveAttribute('lang', 'en')
    await page.reload()
    await expect(page.getByRole('heading', { name: 'Appearance' })).toBeVisible()
  })

  test('no screen of a library or an account contains English text', async ({ page, person, another }) => {
    test.slow()
    const { client } = person
    const { data: made } = await client.rpc('create_library', { name: 'Leuchttürme' }).throwOnError()
    const library = made.id
    const { data: note } = await client
      .rpc('add_note', { library, title: 'Was die Lampe lehrt', body: '# Licht\n\nEine ruhige Lampe.' })
      .throwOnError()
    const { data: invited } = await client
      .rpc('invite_member', { library, email: another.email, role: 'editor' })
      .throwOnError()
    await another.client.rpc('accept_invitation', { invitation: (invited as { id: string }).id }).throwOnError()
    await another.client
      .from('comments')
      .insert({ library_id: library, document_id: note.id, body: 'Jede Nacht?' })
      .throwOnError()
    const { data: gone } = await client.rpc('add_note', { library, title: 'Alter Entwurf', body: 'x' }).throwOnError()
    await client.from('documents').update({ deleted_at: new Date().toISOString() }).eq('id', gone.id).throwOnError()
    const { data: link } = await client.rpc('create_share_link', { document: note.id }).throwOnError()

    await page.goto('/sign-in')
    await page.getByLabel('E-Mail').fill(person.email)
    await page.getByLabel('Passwort', { exact: true }).fill(person.password)
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    await expectGerman(page, 'Meine Bibliotheken')
    await page.goto(`/l/${library}`)
    await page.getByLabel('Dateien zum Hinzufügen').setInputFiles([
      { name: 'leer.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) },
      { name: 'kaputt.pdf', mimeType: 'application/pdf', buffer: await readFile(fixture('damaged.pdf')) },
    ])
    const damaged = page.getByRole('article', { name: 'kaputt' })
    await expect(damaged.getByText('Dieses PDF ist beschädigt')).toBeVisible({ timeout: 120_000 })
    await expect(damaged.getByRole('button', { name: 'Noch einmal einlesen' })).toBeVisible()
    await expectGerman(page, 'Alle Dokumente')
    await page.getByRole('radio', { name: 'Liste' }).click()
    await expectGerman(page, 'Alle Dokumente')
    await page.getByRole('button', { name: 'Hinzufügen', exact: true }).click()
    await expectGerman(page)
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await expectGerman(page, 'Tastenkürzel')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await expectGerman(page)
    await page.keyboard.press('Escape')

    const { data: rest } = await client.from('documents').select('id').eq('library_id', library).throwOnError()
    expect(rest).toHaveLength(3)
    for (const [path, heading] of [
      ['/search?q=lampe', undefined],
      [`/l/${library}/search?q=lampe`, undefined],
      [`/l/${library}/search?q=${encodeURIComponent('lampe art:notiz schlagwort:mond seit:2024')}`, undefined],
      [`/l/${library}/search-index`, 'Suchindex'],
      [`/l/${library}/ask`, undefined],
      [`/l/${library}/ask?documents=${encodeURIComponent(JSON.stringify([note.id]))}`, undefined],
      [`/l/${library}/d/${note.id}`, 'Was die Lampe lehrt'],
      [`/l/${library}/activity`, 'Aktivität'],
      [`/l/${library}/members`, 'Mitglieder'],
      [`/l/${library}/insights`, undefined],
      [`/l/${library}/trash`, 'Papierkorb'],
      [`/l/${library}/settings`, 'Einstellungen'],
      ['/settings/profile', 'Profil'],
      ['/settings/security', 'Sicherheit'],
      ['/settings/appearance', 'Darstellung'],
      [`/s/${(link as { token: string }).token}`, 'Was die Lampe lehrt'],
      ['/no/such/page', undefined],
      ['/invite/none', undefined],
    ] as const) {
      await page.goto(path)
      await expectGerman(page, heading)
    }
  })
})

const ENGLISH = new Set(Object.entries(german).flatMap(([english, text]) => (english === text ? [] : [english])))

/** Compares all texts and names on the screen with all English texts of the app. */
async function expectGerman(page: Page, heading?: string): Promise<void> {
  if (heading) await expect(page.getByRole('heading', { name: heading }).first()).toBeVisible()
  else await expect(page.locator('#main, main').first()).toBeVisible()
  await expect(page.getByLabel('Wird geladen')).toHaveCount(0)
  const said = await page.evaluate(() => {
    const texts: string[] = [document.title.split(' · ')[0] ?? '']
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node instanceof Element) {
        for (const name of ['aria-label', 'placeholder', 'title', 'alt']) texts.push(node.getAttribute(name) ?? '')
      } else texts.push(node.textContent?.trim() ?? '')
    }
    return texts.filter((text) => /\p{L}/u.test(text))
  })
  expect
    .soft(
      said.filter((text) => ENGLISH.has(text)),
      page.url(),
    )
    .toEqual([])
  if (process.env.LOOK) await page.screenshot({ path: `${process.env.LOOK}/de-${Date.now()}.png`, fullPage: true })
}

test('a language chosen in one tab applies to the other, and to mails', async ({ page, person, context, mailbox }) => {
  await enter(page, person)
  await page.goto('/settings/appearance')
  const other = await context.newPage()
  await other.goto('/')
  await expect(other.getByRole('heading', { name: 'My libraries' })).toBeVisible()
  await choose(page.getByLabel('Language', { exact: true }), 'Deutsch')
  await expect(page.getByRole('heading', { name: 'Darstellung' })).toBeVisible()
  await expect(other.getByRole('heading', { name: 'Meine Bibliotheken' })).toBeVisible()
  await expect(async () => {
    const { data } = await person.client.auth.getUser()
    expect(data.user?.user_metadata.locale).toBe('de')
  }).toPass()
  await person.client.auth.resetPasswordForEmail(person.email)
  expect(await mailbox.nextTo(person.email)).toMatchObject({
    subject: 'Neues Passwort für Carrel',
    text: expect.stringContaining('Neues Passwort festlegen'),
  })
})
