// Takes screenshots of every screen into `screens/`: `SCREENS=1 npx playwright test screens` (in `undock run`, like all
// browser tests); docs/screens has those used in pages. Without SCREENS it only checks each screen's accessibility.
import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import { expectAccessible } from './accessibility.ts'
import { enter, expect, test } from './fixtures.ts'
import { fillSampleLibrary } from './sample-library/fill.ts'
import { fillSettings } from './sample-library/settings.ts'

const FOLDER = fileURLToPath(new URL('../../screens/', import.meta.url))
const LOOKS = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
] as const

const SETTLED_MS = 400

/** Settings pages, each with a text from the sample library. */
const SETTINGS = {
  rules: 'Manuals of makers',
  mail: 'Reports',
  groups: 'Lamp engineers',
  retention: 'The whole library',
  api: 'Catalogue',
  webhooks: 'hooks.example.org',
  'sign-in': 'northernlights.example',
}

async function show(page: Page, screen: string, path: string, ready: (page: Page) => Promise<void>): Promise<void> {
  let width = 0
  for (const { name, colorScheme, viewport } of LOOKS) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // Light and dark mode are switched in place; another device needs a new page.
    if (viewport.width !== width) {
      width = viewport.width
      await page.setViewportSize(viewport)
      await page.goto(path)
      await ready(page)
    }
    await expect(page.getByLabel('Loading')).toHaveCount(0)
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect.soft(wide, `${screen}, ${name}: nothing overflows horizontally`).toBeLessThanOrEqual(0)
    if (process.env.SCREENS) {
      // Images and fonts load after the text.
      await page.waitForTimeout(SETTLED_MS)
      await page.screenshot({ path: `${FOLDER}${screen}-${name}.png` })
    } else await expectAccessible(page, `${screen}, ${name}`)
  }
}

const heading = (name: string | RegExp) => (page: Page) =>
  page.getByRole('heading', { name }).first().waitFor({ state: 'visible' })

test('screens before signing in', async ({ page, person }) => {
  test.slow()
  await show(page, 'sign-in', '/sign-in', heading('Welcome back'))
  await show(page, 'sign-up', '/sign-up', heading('Create your account'))
  await show(page, 'recover', '/recover', heading('Forgot your password?'))
  await show(page, 'verify', '/verify?email=ada@example.org&purpose=sign-in', heading('Check your email'))
  await show(page, 'link-failed', '/auth/callback?error_code=otp_expired', heading('This link didn’t work'))
  await show(page, 'link-button', '/auth/callback#token_hash=t&type=recovery', heading('Set a new password'))
  const { data: library } = await person.client.rpc('create_library', { name: 'Lighthouse papers' }).throwOnError()
  const { data: made } = await person.client
    .rpc('invite_member', { library: library.id, email: 'grace@example.org', role: 'editor' })
    .throwOnError()
  await show(page, 'join', `/invite/${(made as { token: string }).token}?key=k`, heading('Lighthouse papers'))
  await show(page, 'share-link-gone', '/s/none', heading('This link shows nothing'))
  await show(page, 'invitation-gone', '/invite/none', heading('This invitation does not exist'))
})

test('screens of a library and an account', async ({ browser, page, signedIn, another, third, library }) => {
  test.setTimeout(900_000)
  page.setDefaultTimeout(60_000)
  const { client } = signedIn
  for (const [member, role] of [
    [another, 'editor'],
    [third, 'editor'],
  ] as const) {
    const { data } = await client.rpc('invite_member', { library, email: member.email, role }).throwOnError()
    await member.client.rpc('accept_invitation', { invitation: (data as { id: string }).id }).throwOnError()
  }
  await client.rpc('invite_member', { library, email: 'jamal@example.org', role: 'reader' }).throwOnError()
  const { survey, plan, draft, collection } = await fillSampleLibrary(page, browser, library, [
    signedIn,
    another,
    third,
  ])
  const { data: gone } = await client.rpc('add_note', { library, title: 'An old draft', body: 'x' }).throwOnError()
  await client.from('documents').update({ deleted_at: new Date().toISOString() }).eq('id', gone.id).throwOnError()
  const { data: link } = await client.rpc('create_share_link', { document: plan }).throwOnError()
  const { data: made } = await client
    .rpc('invite_member', { library, email: 'nadia@example.org', role: 'reader' })
    .throwOnError()

  const { data: answer } = await client.functions.invoke<Response>('ask', {
    body: { library_id: library, question: 'Why must the lens not be turned?' },
  })
  // The conversation is stored with the last event.
  await answer?.text()
  const { data: conversation } = await client
    .from('conversations')
    .select('id')
    .eq('library_id', library)
    .single()
    .throwOnError()

  const covers = (on: Page) => on.locator('main article img').nth(3).waitFor()
  await show(page, 'libraries', '/', heading('My libraries'))
  await show(page, 'shelf', `/l/${library}`, covers)
  await show(page, 'shelf-list', `/l/${library}?collection=${collection}&view=list`, (on) =>
    on.getByText('Lamp room wiring').first().waitFor(),
  )
  await show(page, 'search', `/l/${library}/search?q=${encodeURIComponent('how far does the beam reach')}`, (on) =>
    on.locator('[data-hit]').first().waitFor(),
  )
  await show(page, 'highlights', `/l/${library}/highlights`, (on) => on.locator('main article').first().waitFor())
  const context = await browser.newContext()
  const beside = await context.newPage()
  await enter(beside, another)
  await beside.goto(`/l/${library}/d/${survey}`)
  await show(page, 'reader-pdf', `/l/${library}/d/${survey}?page=2`, async (on) => {
    await on.locator('[data-page="2"] .pdf-text span').first().waitFor()
  })
  await show(page, 'reader', `/l/${library}/d/${plan}`, heading('Relighting Skerry Point'))
  await beside.goto(`/l/${library}/d/${plan}`)
  await beside.getByRole('button', { name: 'Edit', exact: true }).click()
  await beside.getByRole('textbox', { name: /Text of/ }).press('Control+Home')
  await show(page, 'editor', `/l/${library}/d/${plan}`, async (on) => {
    await on.getByRole('button', { name: 'Edit', exact: true }).click()
    await on.getByRole('textbox', { name: /Text of/ }).waitFor()
    await on.locator('.writer-caret').first().waitFor()
  })
  await context.close()
  await show(page, 'compare', `/l/${library}/compare?a=${draft}&b=${plan}`, (on) =>
    on.getByText(/^Change 1 of/).waitFor(),
  )
  await show(page, 'ask', `/l/${library}/ask?conversation=${conversation.id}`, async (on) => {
    await on.getByText('Why must the lens not be turned?').last().waitFor()
  })
  await show(page, 'activity', `/l/${library}/activity`, heading('Activity'))
  await show(page, 'members', `/l/${library}/members`, heading('Members'))
  await show(page, 'insights', `/l/${library}/insights`, (on) =>
    on.getByRole('img', { name: 'Number of documents by week' }).waitFor(),
  )
  await show(page, 'trash', `/l/${library}/trash`, (on) => on.getByText('An old draft').first().waitFor())
  await fillSettings(library, [signedIn, another, third])
  await show(page, 'audit', `/l/${library}/activity?audit=true`, (on) =>
    on.getByText('added a webhook').first().waitFor(),
  )
  for (const [name, shown] of Object.entries(SETTINGS))
    await show(page, `settings-${name}`, `/l/${library}/settings/${name}`, (on) =>
      on.getByRole('main').getByText(shown).filter({ visible: true }).first().waitFor(),
    )
  await show(page, 'library-settings', `/l/${library}/settings`, (on) => on.getByText('Export everything').waitFor())
  await show(page, 'inbox', '/inbox?show=all', heading('Inbox'))
  await show(page, 'profile', '/settings/profile', heading('Profile'))
  await show(page, 'security', '/settings/security', (on) => on.getByRole('list', { name: 'Sessions' }).waitFor())
  await show(page, 'appearance', '/settings/appearance', heading('Appearance'))
  await show(page, 'shared', `/s/${(link as { token: string }).token}`, heading('Relighting Skerry Point'))
  await show(page, 'invitation', `/invite/${(made as { token: string }).token}`, heading('Northern Lights Trust'))
})

test('overlays: a dialog, the palette, a selection and its pickers', async ({ page, person }) => {
  await enter(page, person)
  const { data: library } = await person.client.rpc('create_library', { name: 'Reading group' }).throwOnError()
  const { data: note } = await person.client
    .rpc('add_note', { library: library.id, title: 'A note', body: 'x' })
    .throwOnError()
  await person.client.from('collections').insert({ library_id: library.id, name: 'Home' }).throwOnError()
  await show(page, 'share', `/l/${library.id}/d/${note.id}`, async (on) => {
    await on.getByRole('button', { name: 'Share', exact: true }).click()
    await on.getByRole('dialog').getByText('Ada Lovelace').waitFor()
  })
  await show(page, 'palette', `/l/${library.id}`, async (on) => {
    await on.getByRole('article', { name: 'A note' }).waitFor()
    await on.keyboard.press('Control+k')
    await on.getByPlaceholder('Find documents, passages, people and commands…').waitFor()
  })
  const select = async (on: Page) => on.getByRole('checkbox', { name: 'Select A note' }).click()
  await show(page, 'selection', `/l/${library.id}?view=list`, select)
  await show(page, 'tags', `/l/${library.id}`, async (on) => {
    await select(on)
    await on.getByRole('button', { name: 'Tag…' }).click()
    await on.getByLabel('Find or create a tag').waitFor()
  })
  await show(page, 'move', `/l/${library.id}`, async (on) => {
    await select(on)
    await on.getByRole('button', { name: 'Move…' }).click()
    await on.getByRole('dialog').waitFor()
  })
})

test.describe('on the smallest phone, before fonts have loaded', () => {
  test.use({ viewport: { width: 320, height: 568 } })

  test('nothing overflows horizontally', async ({ page, signedIn, library }) => {
    const { data: note } = await signedIn.client
      .rpc('add_note', { library, title: 'What the lamp taught us', body: '# Light\n\nA steady lamp.' })
      .throwOnError()
    await page.route(/\.woff2$/, (route) => route.abort())
    for (const path of [
      '/',
      `/l/${library}`,
      `/l/${library}/search?q=lamp`,
      `/l/${library}/d/${note.id}`,
      '/settings',
    ]) {
      await page.goto(path)
      await page.getByRole('button', { name: /Account of/ }).waitFor()
      await expect(page.getByLabel('Loading')).toHaveCount(0)
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect.soft(wide, path).toBeLessThanOrEqual(0)
    }
  })
})
