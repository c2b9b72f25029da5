import { PDFDocument } from '@cantoo/pdf-lib'
import type { Page } from '@playwright/test'
import { expectAccessible } from './accessibility.ts'
import { expect, test } from './fixtures.ts'

const BIBTEX = `@article{fresnel1819,
  title = {On lamps},
  author = {Fresnel, Augustin and Arago, Fran{\\c c}ois},
  year = {1819},
  journal = {Annales de Chimie},
  volume = {11},
  keywords = {light, waves},
}
@misc{broken, title = {Never closed`

async function copied(page: Page, title: string, style: string): Promise<string> {
  await page.getByRole('button', { name: `Actions for ${title}`, exact: true }).click()
  await page.getByRole('menuitem', { name: 'Copy citation' }).click()
  await page.getByRole('menuitem', { name: style, exact: true }).click()
  await expect(page.getByText(`Citation copied: ${style}`)).toBeVisible()
  return await page.evaluate(() => navigator.clipboard.readText())
}

test('the settings credit the citation processor, as its license requires', async ({ page, library }) => {
  expect(library).not.toBe('')
  await page.goto('/settings/appearance')
  await expect(page.getByRole('main')).toContainText('Frank Bennett, CPAL 1.0')
})

test('references are imported, completed and cited', async ({ page, context, library }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`/l/${library}/settings`)
  await page
    .getByLabel('File to import')
    .setInputFiles({ name: 'zotero.bib', mimeType: 'text/plain', buffer: Buffer.from(BIBTEX) })
  await expect(page.getByText('1 document was imported')).toBeVisible()
  await expect(page.getByText('@misc{broken')).toBeVisible()

  await page.goto(`/l/${library}`)
  await page.getByRole('article', { name: 'On lamps' }).getByRole('link', { name: 'On lamps' }).click()
  await expect(page.getByText('Fresnel, Arago · 1819 · Annales de Chimie 11')).toBeVisible()
  expect(await copied(page, 'On lamps', 'APA')).toBe(
    'Fresnel, A., & Arago, F. (1819). On lamps. Annales de Chimie, 11.',
  )
  const entry = await copied(page, 'On lamps', 'BibTeX')
  expect(entry).toContain('@article{fresnel1819,')
  expect(entry).toContain('volume = {11}')

  await page.getByRole('button', { name: 'Edit the reference…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Reference' })
  await expect(dialog.getByLabel('Authors')).toHaveValue('Fresnel, Augustin\nArago, François')
  await expectAccessible(page, 'the form of a reference')
  await dialog.getByLabel('Authors').fill('Fresnel, Augustin\nAcademy of Sciences')
  await dialog.getByLabel('Pages').fill('246-296')
  await dialog.getByLabel('DOI').fill('soon')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('Enter a DOI such as 10.1000/182')).toBeVisible()
  await dialog.getByLabel('DOI').fill('https://doi.org/10.1000/lamps')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByText('Fresnel, Academy of Sciences · 1819 · Annales de Chimie 11, 246–296')).toBeVisible()
  expect(await copied(page, 'On lamps', 'MLA')).toContain(
    'Academy of Sciences. “On Lamps.” Annales de Chimie, vol. 11, 1819, pp. 246–96, https://doi.org/10.1000/lamps.',
  )
})

test('a reference is filled in from its DOI on request', async ({ page, signedIn, library }) => {
  const asked: string[] = []
  await page.route('https://doi.org/**', async (route) => {
    asked.push(`${route.request().headers().accept} ${route.request().url()}`)
    if (route.request().url().endsWith('unknown')) return await route.fulfill({ status: 404, body: '' })
    if (route.request().url().endsWith('away')) return await route.abort('internetdisconnected')
    await route.fulfill({
      headers: { 'access-control-allow-origin': '*' },
      contentType: 'application/vnd.citationstyles.csl+json',
      body: JSON.stringify({
        type: 'journal-article',
        title: '<img src=x onerror=alert(1)>',
        author: [
          { family: 'Fresnel', given: 'Augustin' },
          { family: 'Arago', given: 'François' },
        ],
        issued: { 'date-parts': [[1822, 7, 29]] },
        'container-title': 'Annales de Chimie',
        volume: '11',
        page: '246-296',
      }),
    })
  })
  const { data: note } = await signedIn.client.rpc('add_note', { library, title: 'On lamps', body: '' }).throwOnError()
  await signedIn.client
    .from('documents')
    .update({ reference: { volume: '12' } })
    .eq('id', note.id)
    .throwOnError()
  await page.goto(`/l/${library}/d/${note.id}`)
  await page.getByRole('button', { name: /reference…/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Reference' })
  const fillIn = dialog.getByRole('button', { name: 'Fill in from DOI' })
  await expect(fillIn).toHaveAttribute('aria-disabled', 'true')
  await dialog.getByLabel('DOI', { exact: true }).fill('soon')
  await fillIn.click()
  await expect(dialog.getByText('Enter a DOI such as 10.1000/182')).toBeVisible()
  await dialog.getByLabel('DOI', { exact: true }).fill('10.1000/unknown')
  await fillIn.click()
  await expect(dialog.getByText('doi.org doesn’t know this DOI.')).toBeVisible()
  await dialog.getByLabel('DOI', { exact: true }).fill('10.1000/away')
  await fillIn.click()
  await expect(dialog.getByText('doi.org couldn’t be reached.')).toBeVisible()
  await expectAccessible(page, 'a failed DOI lookup')

  await dialog.getByLabel('DOI', { exact: true }).fill('https://doi.org/10.1000/lamps')
  await fillIn.click()
  await expect(dialog.getByRole('status')).toContainText('Check them before you save')
  await expect(dialog.getByLabel('Authors')).toHaveValue('Fresnel, Augustin\nArago, François')
  await expect(dialog.getByLabel('Volume')).toHaveValue('12')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Fresnel, Arago · 1822 · Annales de Chimie 12, 246–296')).toBeVisible()
  const { data: saved } = await signedIn.client
    .from('documents')
    .select('title, reference, dated')
    .eq('id', note.id)
    .single()
    .throwOnError()
  expect(saved).toMatchObject({
    title: 'On lamps',
    dated: '1822-07-29',
    reference: { type: 'article-journal', DOI: '10.1000/lamps' },
  })
  expect(asked).toEqual(
    ['unknown', 'away', 'lamps'].map(
      (name) => `application/vnd.citationstyles.csl+json https://doi.org/10.1000/${name}`,
    ),
  )
})

test('selected documents are cited as one list', { tag: '@nightly' }, async ({ page, context, signedIn, library }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  for (const [title, family] of [
    ['Oil', 'Somerville'],
    ['Beams', 'Fresnel'],
  ]) {
    const { data: note } = await signedIn.client
      .rpc('add_note', { library, title: title ?? '', body: '' })
      .throwOnError()
    const reference = { type: 'book', author: [{ family, given: 'A.' }], issued: { 'date-parts': [[1822]] } }
    await signedIn.client.from('documents').update({ reference }).eq('id', note.id).throwOnError()
  }
  await page.goto(`/l/${library}`)
  await page.getByRole('checkbox', { name: 'Select Oil' }).check()
  await page.getByRole('checkbox', { name: 'Select Beams' }).check()
  await page.getByRole('button', { name: 'Cite…' }).click()
  await page.getByRole('menuitem', { name: 'APA' }).click()
  await expect(page.getByText('Citation copied: APA')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    'Fresnel, A. (1822). Beams.\nSomerville, A. (1822). Oil.',
  )
})

test('a PDF has the reference from its metadata, and shows its file name', async ({ page, library }) => {
  await page.goto(`/l/${library}`)
  const pdf = await PDFDocument.create()
  pdf.setTitle('Beams of light')
  pdf.setAuthor('Augustin Fresnel')
  pdf.setSubject('Annales de Chimie, 11. doi:10.1000/beam')
  pdf.addPage().drawText('The beam is made by a lens.', { x: 50, y: 500 })
  await page
    .getByLabel('Files to add')
    .setInputFiles({ name: 'S0140-fresnel.pdf', mimeType: 'application/pdf', buffer: Buffer.from(await pdf.save()) })
  await page.getByRole('article', { name: 'Beams of light' }).getByRole('link', { name: 'Beams of light' }).click()
  const facts = page.getByRole('complementary', { name: 'About this document' })
  await expect(facts.getByRole('link', { name: '10.1000/beam' })).toHaveAttribute(
    'href',
    'https://doi.org/10.1000/beam',
  )
  await expect(facts.getByText(/^Augustin Fresnel · \d{4}$/)).toBeVisible()
  await expect(facts.getByText('S0140-fresnel.pdf')).toBeVisible()
})
