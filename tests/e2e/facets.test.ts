import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib'
import { expectAccessible } from './accessibility.ts'
import { expect, filter, test } from './fixtures.ts'

async function paper(author: string, date: string): Promise<Buffer> {
  const document = await PDFDocument.create()
  document.setAuthor(author)
  document.setCreationDate(new Date(`${date}T12:00:00Z`))
  const font = await document.embedFont(StandardFonts.Helvetica)
  document.addPage([400, 200]).drawText(`On lamps and their oil, by ${author}.`, { x: 20, y: 120, size: 12, font })
  return Buffer.from(await document.save())
}

test('authors and dates filter the shelf and a search, by menu and by typing', async ({ page, library }) => {
  test.slow()
  const papers = [
    ['lens', 'Augustin Fresnel', '1822-07-29'],
    ['sciences', 'Mary Somerville', '1834-03-01'],
    ['geography', 'Mary Somerville', '1848-05-05'],
  ] as const
  const torn = { name: 'torn.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 and nothing else') }
  await page.getByLabel('Files to add').setInputFiles([
    torn,
    ...(await Promise.all(
      papers.map(async ([name, author, date]) => ({
        name: `${name}.pdf`,
        mimeType: 'application/pdf',
        buffer: await paper(author, date),
      })),
    )),
  ])
  const cards = page.getByRole('main').getByRole('article')
  await expect(cards).toHaveCount(4)
  await page.getByRole('button', { name: 'Dismiss the list' }).click()
  await filter(page, 'Status', 'Could not be read')
  await expect(cards).toHaveText([/torn/])
  await page.getByRole('button', { name: 'Remove Status: Could not be read' }).click()
  await expect(cards).toHaveCount(4)
  await filter(page, 'Author', 'Mary Somerville')
  await expect(cards).toHaveCount(2)
  await expect(page).toHaveURL(/author=Mary/)
  await filter(page, 'Dated', '1848')
  await expect(cards).toHaveCount(1)
  await expectAccessible(page, 'a shelf with an author and a date')
  await page.reload()
  await expect(cards).toHaveCount(1)

  await page.goto(`/l/${library}/search`)
  const field = page.getByRole('searchbox')
  const documents = page.locator('main section[aria-label]')
  await field.fill('lamps author:som')
  await page.getByRole('option', { name: 'Mary Somerville' }).click()
  await expect(documents).toHaveCount(2)
  await expect(page).toHaveURL(/author=Mary/)
  await field.fill('lamps dated:1800..1834 ')
  await expect(documents).toHaveCount(1)
  await expect(page).toHaveURL(/dated=1800/)
  await expect(documents).toContainText('Mary Somerville')
  await expectAccessible(page, 'a search with an author and a date')
  await page.getByRole('button', { name: 'Remove author: Mary Somerville' }).click()
  await expect(documents).toHaveCount(2)
})
