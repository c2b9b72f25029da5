import { readFile } from 'node:fs/promises'
import { expectAccessible } from './accessibility.ts'
import { expect, test } from './fixtures.ts'

test("a library's highlights are listed on one page, updated live, opened and exported", async ({
  page,
  signedIn,
  another,
  library,
}) => {
  const { client } = signedIn
  const { data: invitation } = await client
    .rpc('invite_member', { library, email: another.email, role: 'reader' })
    .throwOnError()
  await another.client.rpc('accept_invitation', { invitation: (invitation as { id: string }).id }).throwOnError()
  const write = async (title: string, body: string) =>
    (await client.rpc('add_note', { library, title, body }).throwOnError()).data.id
  const lamps = await write('Lamps', 'A steady lamp needs a steady keeper.\n\nThe sea is dark.')
  const ropes = await write('Ropes', 'Hemp holds when it is wet.')
  const highlights = page.getByRole('main').getByRole('article')

  await page.getByRole('link', { name: 'Highlights', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'No highlights yet' })).toBeVisible()
  await expectAccessible(page, 'no highlights')

  const mark = { library_id: library, body: '' }
  for (const one of [
    { document_id: lamps, quote: 'The sea is dark.', color: 'blue' },
    { document_id: ropes, quote: 'Hemp holds', body: 'Does it?' },
  ])
    await client
      .from('comments')
      .insert({ ...mark, ...one })
      .throwOnError()
  await expect(highlights).toHaveText([/Hemp holds.*Does it\?.*Ropes.*Comment/, /The sea is dark\..*Lamps.*Blue.*Ada/])
  await another.client
    .from('comments')
    .insert({ ...mark, document_id: lamps, quote: 'steady keeper' })
    .throwOnError()
  await expect(highlights.first()).toHaveText(/steady keeper.*Yellow.*Mary Somerville/)
  await expectAccessible(page, 'highlights')

  await page.getByRole('button', { name: 'Anyone' }).click()
  await page.getByRole('menuitemradio', { name: 'Me', exact: true }).click()
  await expect(highlights).toHaveCount(2)
  await page.getByRole('button', { name: 'Every colour' }).click()
  await page.getByRole('menuitemradio', { name: 'Blue' }).click()
  await expect(highlights).toHaveText([/The sea is dark\./])
  await page.getByRole('button', { name: 'Clear' }).click()
  const field = page.getByRole('searchbox', { name: 'Search highlights by words or title' })
  await field.fill('lámps keeper')
  await expect(highlights).toHaveText([/steady keeper/])
  await field.fill('nothing of the kind')
  await page.getByRole('button', { name: 'Show all highlights' }).click()
  await expect(highlights).toHaveCount(3)

  await highlights.first().getByRole('button', { name: 'Actions for this highlight' }).click()
  await page.getByRole('menuitem', { name: 'From this document only' }).click()
  await expect(highlights).toHaveText([/steady keeper/, /The sea is dark\./])
  const save = async (format: string) => {
    await page.getByRole('button', { name: 'Export' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: format }).click()
    const saved = await download
    expect(saved.suggestedFilename()).toMatch(/^Highlights in Reading group\.(md|csv)$/)
    return readFile(await saved.path(), 'utf8')
  }
  expect(await save('Markdown')).toMatch(
    /^# Highlights in “Reading group”\n\n## Lamps\n\n.*Lamps.*\n\n> .*\n\n— .*\?comment=[0-9a-f-]{36}\)\n\n> .*\n\n— .*\)\n$/,
  )
  expect(await save('CSV')).toMatch(
    /^\uFEFF"quote",.*\r\n"steady keeper",.*"Lamps",".+".*\r\n"The sea is dark\.",.*\r\n$/,
  )

  await page.getByRole('button', { name: 'Remove Document: Lamps' }).press('Enter')
  await expect(highlights).toHaveCount(3)
  await expect(page.getByRole('search').locator(':focus')).toHaveCount(1)
  await page.getByRole('link', { name: 'The sea is dark.' }).click()
  await expect(page).toHaveURL(new RegExp(`/d/${lamps}\\?comment=`))
  await expect.poll(() => page.evaluate(() => CSS.highlights.get('passage')?.size ?? 0)).toBe(1)
})

test('ten thousand highlights scroll to the end, and only visible ones are rendered', { tag: '@nightly' }, async ({
  page,
  signedIn,
  library,
}) => {
  test.slow()
  // Not in the library, whose channel would report each of them.
  await page.goto('/')
  const { data: note } = await signedIn.client.rpc('add_note', { library, title: 'Lamps', body: 'x' }).throwOnError()
  for (let first = 0; first < 10_000; first += 250) {
    const highlights = Array.from({ length: 250 }, (_, n) => ({
      library_id: library,
      document_id: note.id,
      body: '',
      quote: `Passage ${String(first + n).padStart(5, '0')} ${'of many words '.repeat(n % 30)}`,
    }))
    await signedIn.client.from('comments').insert(highlights).throwOnError()
  }
  await page.goto(`/l/${library}/highlights`)
  const articles = page.getByRole('main').getByRole('article')
  await articles.first().waitFor()
  // A batch shares one timestamp: the last is any of the first batch.
  const last = page.locator('li[aria-posinset="10000"]')
  while (!(await last.isVisible())) {
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    await page.waitForTimeout(30)
  }
  await expect(last).toHaveText(/^Passage 00/)
  expect(await articles.count()).toBeLessThan(60)
})
