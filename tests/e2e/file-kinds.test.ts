import { FILE_KINDS } from '../../supabase/functions/_shared/file-kinds.ts'
import { WORDS } from '../support/file-kinds.ts'
import { expect, fixture, test } from './fixtures.ts'

/** A picture is recognized in the browser, one page after the other. */
const TIMEOUT = { timeout: 120_000 }

test('every kind of file that the picker offers is added, read and found by a word in it', async ({
  page,
  signedIn,
  library,
}) => {
  test.slow()
  await signedIn.client
    .from('libraries')
    .update({ recognition_languages: ['en'] })
    .eq('id', library)
    .throwOnError()
  await page.reload()
  const picker = page.getByLabel('Files to add')
  const offered = (await picker.getAttribute('accept'))?.split(',') ?? []
  expect(offered.toSorted()).toEqual(
    FILE_KINDS.flatMap(({ endings }) => endings.map((ending) => `.${ending}`)).toSorted(),
  )

  const endings = Object.keys(WORDS)
  await expect(page.getByRole('button', { name: 'Add', exact: true }).first()).toBeVisible()
  await picker.setInputFiles(endings.map((ending) => fixture(`kinds/sample.${ending}`)))
  const uploads = page.getByRole('region', { name: 'Uploads' })
  await expect(uploads.getByText(`${endings.length} files added`)).toBeVisible(TIMEOUT)

  for (const [ending, word] of Object.entries(WORDS)) {
    await test.step(ending, async () => {
      const found = async () => {
        const { data } = await signedIn.client.rpc('search_passages', { library, query: word }).throwOnError()
        const [hit] = data
        if (!hit) return undefined
        const { data: document } = await signedIn.client
          .from('documents')
          .select('state, version:versions!documents_current_version_id_fkey(file_name)')
          .eq('id', hit.document_id)
          .single()
          .throwOnError()
        return [document.state, document.version?.file_name]
      }
      await expect.poll(found, TIMEOUT).toEqual(['ready', `sample.${ending}`])
    })
  }

  // One of those that were refused, as a person finds and opens it.
  await page.goto(`/l/${library}/search?q=${WORDS.xlsx}`)
  await page
    .getByRole('main')
    .getByRole('link', { name: /foxglove/i })
    .first()
    .click()
  await expect(page.frameLocator('iframe').getByText('beside the lamp')).toBeVisible()
})
