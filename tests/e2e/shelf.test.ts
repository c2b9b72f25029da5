import { choose, enter, expect, test } from './fixtures.ts'

test('a note is written, found on the shelf, deleted, and restored', async ({ page, library }) => {
  expect(library).toBeTruthy()
  await page.keyboard.press('g')
  await page.keyboard.press('n')
  // The focus starts in the text, whose first line is the title.
  const text = page.getByRole('textbox', { name: /^Text of / })
  await expect(text).toBeFocused()
  await text.pressSequentially('What the lamp taught us\n## Light\nA **steady** lamp needs a steady keeper.')
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('button', { name: 'Edit' })).toBeVisible()
  await expect(page).toHaveTitle(/^What the lamp taught us/)
  await page.getByRole('link', { name: 'Shelf' }).click()
  const card = page.getByRole('article', { name: 'What the lamp taught us' })
  await expect(card).toContainText('A steady lamp needs a steady keeper.')

  await card.getByRole('button', { name: /Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Move to the trash' }).click()
  await expect(card).toBeHidden()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(card).toBeVisible()

  await card.getByRole('link', { name: 'What the lamp taught us' }).click()
  await expect(page.getByRole('heading', { name: 'Light' })).toBeVisible()
  await expect(page.locator('.prose strong')).toHaveText('steady')
})

test('a blank note is not kept', { tag: '@nightly' }, async ({ page, library }) => {
  for (const leave of [
    () => page.getByRole('button', { name: 'Done' }).click(),
    () => page.getByRole('link', { name: 'Shelf' }).click(),
  ]) {
    await page.keyboard.press('g')
    await page.keyboard.press('n')
    const text = page.getByRole('textbox', { name: /^Text of / })
    await text.pressSequentially('x')
    await page.keyboard.press('Backspace')
    await expect(page.getByText('Saved', { exact: true })).toBeVisible()
    const discarded = page.waitForResponse((response) => response.request().method() === 'DELETE')
    await leave()
    await discarded
    await expect(page).toHaveURL(new RegExp(`/l/${library}$`))
    await expect(page.getByRole('article', { name: 'Untitled' })).toHaveCount(0)
  }
})

test('the text does not move when editing starts', { tag: '@nightly' }, async ({ page, signedIn, library }) => {
  const body =
    '# Lamps\n\nOil is **light**.\n\n## Wicks\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> Quoted.\n\nThe end.'
  const { data: note } = await signedIn.client.rpc('add_note', { library, body }).throwOnError()
  const places = () =>
    page
      .locator('.prose')
      .locator('h1, h2, li, td, blockquote, :scope > p')
      .evaluateAll((blocks) =>
        blocks.map((block) => {
          const { x, y, width } = block.getBoundingClientRect()
          const { font, color } = getComputedStyle(block)
          return [block.tagName, Math.round(x), Math.round(y), Math.round(width), font, color].join(' ')
        }),
      )
  for (const width of [390, 1280, 1920]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(`/l/${library}/d/${note.id}`)
    await expect(page.locator('.prose').getByText('The end.')).toBeVisible()
    const read = await places()
    await page.getByRole('button', { name: 'Edit' }).click()
    await expect(page.getByRole('textbox', { name: 'Text of Lamps' })).toBeVisible()
    expect(await places()).toEqual(read)
  }
})

test("the shelf's view is in the address: list, order and kind survive a reload", { tag: '@nightly' }, async ({
  page,
  signedIn,
  library,
}) => {
  await signedIn.client.rpc('add_note', { library, title: 'Zeppelins', body: 'z' }).throwOnError()
  await signedIn.client.rpc('add_note', { library, title: 'Apples', body: 'a' }).throwOnError()
  await page.getByRole('radio', { name: 'List' }).click()
  await page.getByRole('button', { name: 'Newest first' }).click()
  await page.getByRole('menuitemradio', { name: 'Title' }).click()
  await page.reload()
  await expect(page.getByRole('row').nth(1)).toContainText('Apples')
  await expect(page.getByRole('row').nth(2)).toContainText('Zeppelins')
})

test('the grid shows at least twice as many documents as large cards', { tag: '@nightly' }, async ({
  page,
  signedIn,
  library,
}) => {
  for (let number = 10; number < 50; number++)
    await signedIn.client
      .rpc('add_note', {
        library,
        title: `On the keeping of lamps, part ${number}`,
        body: 'A lamp needs a keeper. '.repeat(20),
      })
      .throwOnError()
  const shown = () =>
    page
      .getByRole('article')
      .evaluateAll((cards) => cards.filter((card) => card.getBoundingClientRect().bottom <= innerHeight).length)
  await page.goto(`/l/${library}?view=cards`)
  await expect(page.getByText('40 documents', { exact: true })).toBeVisible()
  await expect.poll(shown).toBeGreaterThan(2)
  const large = await shown()
  await page.getByRole('radio', { name: 'Grid' }).click()
  await expect.poll(shown).toBeGreaterThanOrEqual(2 * large)
})

test('members see what others add and what they are reading, live', async ({
  browser,
  page,
  signedIn,
  another,
  library,
}) => {
  await page.goto(`/l/${library}/members`)
  await page.getByLabel('Invite by email').fill(another.email)
  await choose(page.getByLabel('Role', { exact: true }), /^Editor/)
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await expect(page.getByText(`${another.email} is invited`)).toBeVisible({ timeout: 120_000 })

  const context = await browser.newContext()
  const tab = await context.newPage()
  await enter(tab, another)
  await tab.goto('/')
  await tab.getByRole('button', { name: 'Join' }).click()
  await expect(tab.getByRole('heading', { name: 'An empty shelf' })).toBeVisible()

  const { data: note } = await signedIn.client
    .rpc('add_note', { library, title: 'Shared note', body: 'text' })
    .throwOnError()
  await tab.getByRole('article', { name: 'Shared note' }).getByRole('link', { name: 'Shared note' }).click()
  await page.goto(`/l/${library}/d/${note.id}`)
  await expect(page.getByRole('list', { name: 'Reading this now' }).getByLabel('Mary Somerville')).toBeVisible()
  await expect(tab.getByRole('list', { name: 'Reading this now' }).getByLabel('Ada Lovelace')).toBeVisible()

  await page.getByLabel('Comment on the document').fill('Have you seen this?')
  await page.getByRole('button', { name: 'Comment', exact: true }).click()
  await expect(tab.getByText('Have you seen this?')).toBeVisible()
  await tab.goto(`/l/${library}`)
  await expect(page.getByRole('list', { name: 'Reading this now' })).toBeHidden()
  await context.close()
})

test('the palette opens any page by keyboard', async ({ page, library }) => {
  expect(library).toBeTruthy()
  await page.getByRole('heading', { name: 'An empty shelf' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Find documents, passages, people and commands…').fill('appearance')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Appearance' })).toBeVisible()
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
})

test("the shelf's code is preloaded, but only with a session", async ({ page, library }) => {
  await page.route(/\/assets\/index-.*\.js$/, (route) => route.abort())
  const asked = page.locator('link[rel="modulepreload"][href*="/shelf-"]')
  await page.goto(`/l/${library}`)
  await expect(asked).toHaveCount(1)
  await page.context().clearCookies()
  await page.goto('/sign-in')
  await expect(asked).toHaveCount(0)
})
