import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import arabic from '../../src/locales/ar.json' with { type: 'json' }
import german from '../../src/locales/de.json' with { type: 'json' }
import { expectAccessible } from './accessibility.ts'
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
    await page.getByLabel('Sprache').selectOption('en')
    await expect(page.getByLabel('Email')).toHaveValue(person.email)
    await page.getByLabel('Language').selectOption('de')
    await expect(page.getByLabel('E-Mail')).toHaveValue(person.email)
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
})

const CATALOGUES: Record<string, Record<string, string>> = { 'ar-EG': arabic, 'de-AT': german }

// Arabic covers all languages, and shows overflow in right-to-left screens.
for (const locale of process.env.NIGHTLY ? ['ar-EG', 'de-AT'] : ['ar-EG']) {
  test.describe(`in a browser set to ${locale}`, () => {
    test.use({ locale })
    const catalogue = CATALOGUES[locale] ?? {}
    const english = new Set(Object.entries(catalogue).flatMap(([english, text]) => (english === text ? [] : [english])))
    const said = (message: string): string => catalogue[message] ?? message

    test('no screen of a library or account contains English text', { tag: '@nightly' }, async ({
      page,
      person,
      another,
    }) => {
      test.slow()
      const { client } = person
      const { data: made } = await client.rpc('create_library', { name: 'منارات' }).throwOnError()
      const library = made.id
      const title = 'ما علّمنا المصباح'
      const { data: note } = await client
        .rpc('add_note', { library, title, body: '# ضوء\n\nمصباح ثابت.' })
        .throwOnError()
      const { data: invited } = await client
        .rpc('invite_member', { library, email: another.email, role: 'editor' })
        .throwOnError()
      await another.client.rpc('accept_invitation', { invitation: (invited as { id: string }).id }).throwOnError()
      await another.client
        .from('comments')
        .insert({ library_id: library, document_id: note.id, body: 'كل ليلة؟' })
        .throwOnError()
      const { data: gone } = await client.rpc('add_note', { library, title: 'مسودة', body: 'س' }).throwOnError()
      await client.from('documents').update({ deleted_at: new Date().toISOString() }).eq('id', gone.id).throwOnError()
      const { data: link } = await client.rpc('create_share_link', { document: note.id }).throwOnError()
      const look = (heading?: string) => expectTranslated(page, english, heading)

      await page.goto('/sign-in')
      await expectAccessible(page, 'sign-in')
      await page.getByLabel(said('Email')).fill(person.email)
      await page.getByLabel(said('Password'), { exact: true }).fill(person.password)
      await page.getByRole('button', { name: said('Sign in'), exact: true }).click()
      await look(said('My libraries'))
      await page.goto(`/l/${library}`)
      await page.getByLabel(said('Files to add')).setInputFiles([
        { name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) },
        { name: 'damaged.pdf', mimeType: 'application/pdf', buffer: await readFile(fixture('damaged.pdf')) },
      ])
      const damaged = page.getByRole('article', { name: 'damaged' })
      await expect(damaged.getByRole('button', { name: said('Read it again') })).toBeVisible({ timeout: 120_000 })
      await look(said('All documents'))
      await expectAccessible(page, 'shelf')
      await page.getByRole('radio', { name: said('List') }).click()
      await look(said('All documents'))
      await page.getByRole('button', { name: said('Add'), exact: true }).click()
      await look()
      await page.keyboard.press('Escape')
      // The button that opened the menu has the focus, and keys of its own.
      await page.locator(':focus').blur()
      await page.keyboard.press('?')
      await look(said('Keyboard shortcuts'))
      await page.keyboard.press('Escape')
      await page.keyboard.press('Control+k')
      await look()
      await page.keyboard.press('Escape')

      const { data: rest } = await client.from('documents').select('id').eq('library_id', library).throwOnError()
      expect(rest).toHaveLength(3)
      const filtered = `مصباح ${said('kind')}:${said('Note')} ${said('tag')}:قمر ${said('since')}:2024`
      for (const [path, heading] of [
        [`/search?q=${encodeURIComponent('مصباح')}`, undefined],
        [`/l/${library}/search?q=${encodeURIComponent('مصباح')}`, undefined],
        [`/l/${library}/search?q=${encodeURIComponent(filtered)}`, undefined],
        [`/l/${library}/ask`, undefined],
        [`/l/${library}/ask?documents=${encodeURIComponent(JSON.stringify([note.id]))}`, undefined],
        [`/l/${library}/d/${note.id}`, title],
        [`/l/${library}/activity`, said('Activity')],
        [`/l/${library}/members`, said('Members')],
        [`/l/${library}/insights`, undefined],
        [`/l/${library}/trash`, said('Trash')],
        [`/l/${library}/settings`, said('Settings')],
        [`/l/${library}/settings/rules`, said('Rules')],
        [`/l/${library}/settings/mail`, said('Emails and file requests')],
        [`/l/${library}/settings/groups`, said('Groups')],
        [`/l/${library}/settings/sign-in`, said('Single sign-on')],
        [`/l/${library}/settings/retention`, said('Retention')],
        [`/l/${library}/settings/api`, said('API keys')],
        [`/l/${library}/settings/webhooks`, said('Webhooks')],
        ['/settings/profile', said('Profile')],
        ['/settings/security', said('Security')],
        ['/settings/appearance', said('Appearance')],
        [`/s/${(link as { token: string }).token}`, title],
        ['/no/such/page', undefined],
        ['/invite/none', undefined],
      ] as const) {
        await page.goto(path)
        await look(heading)
        if (path.endsWith(note.id)) await expectAccessible(page, 'note')
      }
    })
  })
}

/** Latin words allowed in other scripts: names of formats and products, and the test's own texts. */
const KNOWN = new Set(
  (
    Object.values(arabic).join(' ') +
    ' Ada Lovelace Mary Somerville AL MS empty txt damaged pdf Ctrl Enter Escape English Deutsch Chrome Windows Linux Mac lexical aal Keycloak citeproc-js Frank Bennett CPAL'
  )
    .toLowerCase()
    .match(/[a-z]{2,}/g),
)

/** Compares all visible texts and names with the app's English texts; in Arabic, nothing may be in Latin letters. */
async function expectTranslated(page: Page, english: ReadonlySet<string>, heading?: string): Promise<void> {
  if (heading) await expect(page.getByRole('heading', { name: heading }).first()).toBeVisible()
  else await expect(page.locator('#main, main').first()).toBeVisible()
  await expect(page.locator('[aria-label="جارٍ التحميل"], [aria-label="Wird geladen"]')).toHaveCount(0)
  const { texts, isRightToLeft, tooWide } = await page.evaluate(() => {
    const texts: string[] = [document.title.split(' · ')[0] ?? '']
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node instanceof Element) {
        for (const name of ['aria-label', 'placeholder', 'title', 'alt']) texts.push(node.getAttribute(name) ?? '')
      } else if (!node.parentElement?.closest('code, script, style, option[lang]'))
        texts.push(node.textContent?.trim() ?? '')
    }
    return {
      texts: texts.filter((text) => /\p{L}/u.test(text)),
      isRightToLeft: document.documentElement.dir === 'rtl',
      tooWide: document.documentElement.scrollWidth - innerWidth,
    }
  })
  const withoutAddresses = (text: string) => text.replaceAll(/\S+@\S+|https?:\S+|[0-9a-f-]{36}/g, '')
  const isForeign = (text: string) =>
    english.has(text) ||
    (isRightToLeft &&
      (withoutAddresses(text).match(/[a-z]{2,}/gi) ?? []).some((word) => !KNOWN.has(word.toLowerCase())))
  expect.soft(texts.filter(isForeign), page.url()).toEqual([])
  expect.soft(tooWide, `${page.url()}: nothing overflows horizontally`).toBeLessThanOrEqual(0)
}

test('the direction is set before the app loads', async ({ page }) => {
  await page.goto('/sign-in')
  await page.getByLabel('Language').selectOption('العربية')
  await expect(page.getByRole('heading', { name: 'مرحبًا بعودتك' })).toBeVisible()
  const html = page.locator('html')
  await expect(html).toHaveAttribute('dir', 'rtl')
  await page.route('**/assets/**', (route) => route.abort())
  await page.reload()
  await expect(html).toHaveAttribute('dir', 'rtl')
  await expect(html).toHaveAttribute('lang', 'ar')
  await page.unroute('**/assets/**')
  await page.reload()
  await page.getByLabel('اللغة').selectOption('English')
  await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible()
  await expect(html).toHaveAttribute('dir', 'ltr')
})

test('a language chosen in one tab applies to others, and to emails', { tag: '@nightly' }, async ({
  page,
  person,
  context,
  mailbox,
}) => {
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
