// From the click that opens an editor, dialog or search field, every key goes into it.
import type { Page } from '@playwright/test'
import { expect, fixture, test } from './fixtures.ts'

/** Its letters are shortcuts: inbox, stars, reading aloud, new note, spread. */
const TEXT = 'insulated joins ask nobody and last: d x l u ?'

/** Types immediately after an action, on a machine four times slower. */
async function typeAfter(page: Page, delay: number, act: () => Promise<void>, text = TEXT): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await act()
  await page.keyboard.type(text, { delay })
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 })
}

for (const delay of process.env.NIGHTLY ? [20, 90] : [20])
  test(`text typed right after a click goes into the editor, at ${delay} ms per key`, async ({ page, library }) => {
    test.slow()
    const text = page.getByRole('textbox', { name: /^Text of / })
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await typeAfter(page, delay, () => page.getByRole('menuitem', { name: 'A note…' }).click(), `${TEXT}\nBelow`)
    await expect(text.getByRole('heading')).toHaveText(TEXT)
    await expect(text.getByRole('paragraph')).toHaveText('Below')
    await page.getByRole('button', { name: 'Done' }).click()
    await page.reload()
    await typeAfter(page, delay, () => page.getByRole('button', { name: 'Edit', exact: true }).click(), `${TEXT}! `)
    await expect(text.getByRole('heading')).toHaveText(`${TEXT}! ${TEXT}`)
    await page.getByRole('button', { name: 'Done' }).click()
    await expect(page.getByRole('button', { name: 'Edit', exact: true })).toBeVisible()
    await page.goto(`/l/${library}`)
    await expect(page.getByRole('article')).toHaveCount(1)
  })

test('text typed right after a click goes into dialogs and search fields', { tag: '@nightly' }, async ({
  page,
  library,
  signedIn,
}) => {
  test.slow()
  await signedIn.client.rpc('add_note', { library, title: 'Lamp log', body: '# Lamp log' }).throwOnError()
  await page.reload()
  const card = page.getByRole('article', { name: 'Lamp log' })
  await card.getByRole('button', { name: /Actions for/ }).click()
  await typeAfter(page, 20, () => page.getByRole('menuitem', { name: 'Rename…' }).click())
  await expect(page.getByRole('textbox', { name: 'Title' })).toHaveValue(TEXT)
  await page.keyboard.press('Escape')
  await page.reload()
  await card.waitFor()
  await typeAfter(page, 20, () => page.keyboard.press('Control+k'))
  await expect(page.getByPlaceholder('Find documents, passages, people and commands…')).toHaveValue(TEXT)
  await page.reload()
  await card.waitFor()
  await typeAfter(page, 20, () => page.getByRole('link', { name: 'Search', exact: true }).click())
  await expect(page.getByRole('searchbox')).toHaveValue(TEXT)
  await page.goto(`/l/${library}`)
  await card.waitFor()
  await typeAfter(page, 20, () => page.getByRole('link', { name: 'Ask', exact: true }).click())
  await expect(page.getByRole('textbox', { name: 'Your question' })).toHaveValue(TEXT)
  for (const path of [`/l/${library}/ask`, `/l/${library}/search`, `/l/${library}/compare`, '/search']) {
    await page.goto('about:blank')
    await typeAfter(page, 20, async () => {
      await page.goto(path, { waitUntil: 'commit' })
      // Before the app's code runs.
      await page.locator('#root').waitFor({ state: 'attached' })
    })
    await expect(page.locator('main').locator('textarea, input').first()).toHaveValue(TEXT)
  }
})

test('text typed after Ctrl+F in a PDF goes into its search, even while it loads', { tag: '@nightly' }, async ({
  page,
  library,
}) => {
  test.slow()
  expect(library).toBeTruthy()
  await page.getByLabel('Files to add').setInputFiles(fixture('reading-room.pdf'))
  await page
    .getByRole('article', { name: /reading.room/i })
    .getByRole('link')
    .first()
    .click()
  await page.getByRole('heading', { name: /reading.room/i, level: 1 }).waitFor()
  await typeAfter(page, 20, () => page.keyboard.press('Control+f'))
  await expect(page.getByRole('searchbox', { name: 'Find in this document' })).toHaveValue(TEXT)
})

test('keys pressed next to the fields of the sign-in page are not kept', async ({ page }) => {
  await page.goto('/sign-in')
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.type('five quite different lamps')
  expect(await page.evaluate('early')).toEqual([])
})
