import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { expectAccessible } from './accessibility.ts'
import { enter, expect, type Person, test } from './fixtures.ts'

async function addField({ client }: Person, collection: string, name: string, kind: 'choice' | 'person', options = '') {
  const colors = ['blue', 'yellow', 'green']
  const { data } = await client
    .rpc('save_field', {
      collection,
      // The database creates the id.
      field: null as unknown as string,
      name,
      kind,
      options: options
        .split(' ')
        .filter(Boolean)
        .map((option, index) => ({ id: randomUUID(), name: option, color: colors[index] ?? '' })),
    })
    .throwOnError()
  return data.id
}

async function makeBoard(owner: Person, library: string) {
  const { data: letters } = await owner.client
    .from('collections')
    .insert({ library_id: library, name: 'Letters' })
    .select('id')
    .single()
    .throwOnError()
  await addField(owner, letters.id, 'State', 'choice', 'Open Answered Done')
  for (const title of ['From Vienna', 'From Graz', 'From Linz'])
    await owner.client.rpc('add_note', { library, title, body: 'x', collection: letters.id }).throwOnError()
  return { collection: letters.id, shelf: `/l/${library}?collection=${letters.id}` }
}

const column = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const cardsOf = (page: Page, name: string) => column(page, name).getByRole('article')

test('cards are moved by dragging and by keyboard, and others see it', async ({
  page,
  signedIn,
  library,
  another,
  browser,
}) => {
  const { shelf } = await makeBoard(signedIn, library)
  const { data } = await signedIn.client
    .rpc('invite_member', { library, email: another.email, role: 'reader' })
    .throwOnError()
  await another.client.rpc('accept_invitation', { invitation: (data as { id: string }).id }).throwOnError()
  const elsewhere = await browser.newContext()
  const reader = await elsewhere.newPage()
  await enter(reader, another)
  await reader.goto(`${shelf}&view=board`)
  await expect(cardsOf(reader, 'No value')).toHaveCount(3)
  await expect(reader.getByRole('button', { name: /^Move .* to another column/ })).toHaveCount(0)

  await page.goto(shelf)
  await page.getByRole('radio', { name: 'Board' }).click()
  await expect(cardsOf(page, 'No value')).toHaveCount(3)
  await cardsOf(page, 'No value').filter({ hasText: 'Vienna' }).dragTo(column(page, 'Open'))
  await expect(cardsOf(page, 'Open')).toHaveText(/From Vienna/)
  await expect(cardsOf(reader, 'Open')).toHaveText(/From Vienna/)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(cardsOf(page, 'No value')).toHaveCount(3)

  const graz = page.getByRole('link', { name: 'From Graz' })
  await graz.focus()
  await page.keyboard.press('Shift+ArrowRight')
  await expect(cardsOf(page, 'Open')).toHaveText(/From Graz/)
  await expect(graz).toBeFocused()
  await page.keyboard.press('Shift+ArrowRight')
  await expect(cardsOf(page, 'Answered')).toHaveText(/From Graz/)
  await page.getByRole('button', { name: 'Move From Linz to another column' }).click()
  await page.getByRole('menuitem', { name: 'Done' }).click()
  await expect(cardsOf(page, 'Done')).toHaveText(/From Linz/)
  await expect(cardsOf(reader, 'Done')).toHaveText(/From Linz/)
  await expect(cardsOf(reader, 'Answered')).toHaveText(/From Graz/)
  await expectAccessible(page, 'a board')
  await page.reload()
  await expect(cardsOf(page, 'Done')).toHaveText(/From Linz/)
  await elsewhere.close()
})

test('a card stays where it was moved last, whatever happens to earlier moves', async ({ page, signedIn, library }) => {
  const { shelf } = await makeBoard(signedIn, library)
  await page.goto(`${shelf}&view=board`)
  const vienna = page.getByRole('link', { name: 'From Vienna' })
  // There is an empty column between the cards.
  await page.getByRole('button', { name: 'Move From Linz to another column' }).click()
  await page.getByRole('menuitem', { name: 'Done' }).click()
  await expect(cardsOf(page, 'Done')).toHaveText(/From Linz/)
  await vienna.focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('link', { name: 'From Linz' })).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  await expect(cardsOf(page, 'No value').getByRole('link').first()).toBeFocused()

  const answers: ((route: 'refuse' | 'continue') => void)[] = []
  await page.route('**/rpc/set_field_value', async (route) => {
    const answer = await new Promise((resolve) => answers.push(resolve))
    if (answer === 'continue') await route.continue()
    else await route.fulfill({ status: 400, json: { code: 'P0001', message: 'No.', details: null, hint: null } })
  })
  await vienna.focus()
  await page.keyboard.press('Shift+ArrowRight')
  await expect(cardsOf(page, 'Open')).toHaveText(/From Vienna/)
  await page.keyboard.press('Shift+ArrowRight')
  await expect(cardsOf(page, 'Answered')).toHaveText(/From Vienna/)
  await expect(page.getByText('is now in “Open”')).toHaveCount(0)
  await expect.poll(() => answers.length).toBe(1)
  answers[0]?.('refuse')
  await expect.poll(() => answers.length).toBe(2)
  await expect(cardsOf(page, 'Answered')).toHaveText(/From Vienna/)
  answers[1]?.('continue')
  await expect(page.getByText('“From Vienna” is now in “Answered”')).toBeVisible()

  await vienna.focus()
  await page.keyboard.press('Shift+ArrowLeft')
  await expect.poll(() => answers.length).toBe(3)
  await expect(cardsOf(page, 'Open')).toHaveText(/From Vienna/)
  answers[2]?.('refuse')
  await expect(cardsOf(page, 'Answered')).toHaveText(/From Vienna/)
  await expect(page.getByText('is now in “Open”')).toHaveCount(0)
})

test('a board works on a phone and right to left, and can be grouped by another field', { tag: '@nightly' }, async ({
  page,
  signedIn,
  library,
}) => {
  const { collection, shelf } = await makeBoard(signedIn, library)
  const who = await addField(signedIn, collection, 'Who', 'person')
  await page.setViewportSize({ width: 390, height: 780 })
  await page.goto(`${shelf}&view=board`)
  const region = page.getByRole('region', { name: 'Board by State' })
  await expect(region).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  expect((await region.boundingBox())?.height).toBeLessThan(780)
  await page.getByRole('button', { name: 'Columns by State' }).click()
  await page.getByRole('menuitemradio', { name: 'Who' }).click()
  await expect(page).toHaveURL(new RegExp(`group=${who}`))
  await page.getByRole('button', { name: 'Move From Linz to another column' }).click()
  await page.getByRole('menuitem', { name: signedIn.name }).click()
  await expect(cardsOf(page, signedIn.name)).toHaveText(/From Linz/)

  await page.addInitScript(() => localStorage.setItem('carrel.appearance', JSON.stringify({ language: 'ar' })))
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto(`${shelf}&view=board`)
  const vienna = page.getByRole('link', { name: 'From Vienna' })
  await vienna.focus()
  await page.keyboard.press('Shift+ArrowLeft')
  await expect(cardsOf(page, 'Open')).toHaveText(/From Vienna/)
  await expectAccessible(page, 'an Arabic board')
})
