import { expectAccessible } from './accessibility.ts'
import { expect, test } from './fixtures.ts'

test('each type has its editor, and vectors their nearest neighbours', async ({ page, backend }) => {
  const { db } = backend.stack
  await db.query({ text: 'create extension if not exists vector with schema extensions', values: [] })
  await db.query({
    text: `create table public.samples (
      id int primary key, tags text[], span tstzrange, bytes bytea, doc jsonb, code varchar(5), day date, ref uuid,
      author uuid references public.authors, place extensions.vector(3), area polygon)`,
    values: [],
  })
  await db.query({
    text: `insert into public.samples select n, '{a,NULL}', '[2026-01-01,2026-02-01)', '\\x6869', '{"n": 1.10}', 'abc', '2026-01-01',
      null, null, array[n, 1, 0]::extensions.vector, '((0,0),(4,0),(4,3))' from generate_series(1, 60) n`,
    values: [],
  })
  const stored = async (column: string) =>
    (
      await db.query<{ value: string }>({
        text: `select ${column}::text as value from public.samples where id = 1`,
        values: [],
      })
    ).rows[0]?.value
  await page.goto('/tables/public/samples?sort=id')
  const dialog = page.getByRole('dialog')
  const edit = async (column: string) => {
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog', { name: new RegExp(`^${column} `) })).toBeVisible()
  }
  const save = () => dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('gridcell', { name: '1', exact: true }).first().click()

  await page.keyboard.press('ArrowRight')
  await edit('tags')
  await dialog.getByLabel('Item 1 of tags').fill('say "hi", {x}')
  await dialog.getByRole('button', { name: 'Add an item' }).click()
  await dialog.getByLabel('Item 3 of tags').fill('last')
  await dialog.getByRole('button', { name: 'Move item 3 up' }).click()
  await expectAccessible(page, 'array')
  await save()
  await expect.poll(() => stored('tags')).toBe('{"say \\"hi\\", {x}",last,NULL}')

  await page.keyboard.press('ArrowRight')
  await edit('span')
  await dialog.getByLabel('Upper bound of span').fill('2026-03-01')
  await dialog.getByLabel('Whether span includes its upper bound').selectOption('including')
  await save()
  await expect.poll(() => stored('span')).toMatch(/^\["2026-01-01 00:00:00\+00","2026-03-01 00:00:00\+00"\]$/)

  await page.keyboard.press('ArrowRight')
  await edit('bytes')
  await expect(dialog.getByRole('status')).toHaveText('2 B')
  await dialog.getByLabel('How bytes is shown').selectOption('text')
  await expect(dialog.getByRole('textbox')).toHaveValue('hi')
  await dialog.getByRole('textbox').fill('hö')
  await save()
  await expect.poll(() => stored('bytes')).toBe('\\x68c3b6')

  await page.keyboard.press('ArrowRight')
  await edit('doc')
  await dialog.getByRole('textbox').fill('{"n": ')
  await expect(dialog.getByRole('status')).toContainText('This is not valid JSON')
  await expect(dialog.getByRole('button', { name: 'Save', exact: true })).toBeDisabled()
  await dialog.getByRole('textbox').fill('{"deep": {"list": [1, 12345678901234567890]}, "none": null}')
  await dialog.getByRole('button', { name: 'Tree' }).click()
  await expect(dialog.getByText('deep: {1}')).toBeVisible()
  await dialog.getByText('list: [2]').click()
  await expect(dialog.getByText('1: 12345678901234567890')).toBeVisible()
  await dialog.getByRole('button', { name: 'Text' }).click()
  await expect(dialog.getByRole('textbox')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()

  // A value that is too long is rejected, not truncated.
  await page.keyboard.press('ArrowRight')
  await page.keyboard.type('too long')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toContainText('value too long for type character varying(5)')
  expect(await stored('code')).toBe('abc')

  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'day' }).fill('')
  await page.keyboard.press('Enter')
  await expect.poll(() => stored('day')).toBeNull()

  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Make a new UUID' }).click()
  await page.keyboard.press('Enter')
  await expect.poll(() => stored('ref')).toMatch(/^[0-9a-f-]{36}$/)

  await page.keyboard.press('ArrowRight')
  await edit('author')
  await dialog.getByLabel('Search authors').fill('author 12')
  await dialog.getByRole('button', { name: /^Author 12 / }).click()
  await expectAccessible(page, 'reference')
  await save()
  await expect.poll(() => stored('(select name from public.authors a where a.id = author)')).toBe('Author 12')

  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await edit('area')
  await expect(dialog.getByRole('textbox')).toHaveValue('((0,0),(4,0),(4,3))')
  const corner = dialog.getByRole('img', { name: 'A drawing of 3 points' }).locator('circle').nth(2)
  await corner.hover()
  await page.mouse.down()
  await dialog.getByRole('img').hover({ position: { x: 60, y: 60 } })
  await page.mouse.up()
  await expect(dialog.getByRole('textbox')).toHaveValue(/^\(\(0,0\),\(4,0\),\(-?[\d.]+,[\d.]+\)\)$/)
  await expect(dialog.getByRole('textbox')).not.toHaveValue('((0,0),(4,0),(4,3))')
  await expectAccessible(page, 'shape')
  await dialog.getByRole('textbox').fill('((0,0),(4,0),(4,5))')
  await expect(dialog.getByRole('img')).toBeVisible()
  await save()
  await expect.poll(() => stored('area')).toBe('((0,0),(4,0),(4,5))')

  await page.getByRole('link', { name: 'Show the nearest neighbours' }).nth(4).click()
  await expect(page.getByText('The 50 rows whose place is nearest')).toBeVisible()
  await page.getByLabel('Distance').selectOption('<->')
  const rows = page.getByRole('row')
  await expect(rows.nth(1).getByRole('gridcell').nth(1)).toHaveText('5')
  await expect(rows.nth(1).getByRole('gridcell').last()).toHaveText('0')
  await expect(rows.nth(3).getByRole('gridcell').last()).toHaveText('1')
  await page.getByRole('button', { name: /^50 rows/ }).click()
  await expect(dialog.getByRole('heading')).toHaveText('Query plan of samples')
  await expect(dialog.getByText('Limit', { exact: true })).toBeVisible()
  await db.query({ text: 'drop table public.samples', values: [] })
})
