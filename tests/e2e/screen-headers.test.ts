// No heading is cut and nothing overlaps at the top of a screen, in a library with many of everything.
import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { admin, createPerson, expect, test } from './fixtures.ts'

const WIDTHS = [1280, 1366, 1440, 1536, 1680, 390]
const TITLE = 'Instandhaltungsdokumentation der Anlagen'

const faultsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const faults: string[] = []
    const root = document.documentElement
    if (root.scrollWidth > innerWidth) faults.push(`the page is ${root.scrollWidth} px wide`)
    const main = document.querySelector('main')
    const headings = [...(main?.querySelectorAll<HTMLElement>('h1, h2') ?? [])].filter(
      // Some are for screen readers only.
      (one) => one.checkVisibility() && one.clientWidth > 1,
    )
    for (const heading of headings) {
      if (heading.scrollWidth > heading.clientWidth + 1) faults.push(`cut: ${heading.textContent}`)
    }
    const controls = [...(main?.querySelectorAll<HTMLElement>('button, [role="radio"], h1') ?? [])].filter(
      (one) => one.checkVisibility() && !one.closest('article, li, table'),
    )
    for (const [at, one] of controls.entries()) {
      const a = one.getBoundingClientRect()
      for (const other of controls.slice(at + 1)) {
        const b = other.getBoundingClientRect()
        const isApart = a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1
        if (!isApart && !one.contains(other) && !other.contains(one))
          faults.push(`overlap: ${one.textContent || one.ariaLabel} and ${other.textContent || other.ariaLabel}`)
      }
    }
    if (!main?.querySelector('h1')) faults.push('no heading')
    return faults
  })

test('screen headers fit at every width, in every language', { tag: '@nightly' }, async ({
  page,
  signedIn,
  library,
}) => {
  test.slow()
  const { client } = signedIn
  const members = await Promise.all(
    Array.from({ length: 11 }, (_, n) => createPerson(`member-${n}-${randomUUID()}@example.org`, `Member ${n}`)),
  )
  await admin
    .from('members')
    .insert(members.map(({ id }) => ({ library_id: library, user_id: id, role: 'reader' as const })))
    .throwOnError()
  const { data: collections } = await client
    .from('collections')
    .insert(Array.from({ length: 6 }, (_, n) => ({ library_id: library, name: n ? `Collection ${n}` : TITLE })))
    .select('id, name')
    .throwOnError()
  await client
    .from('tags')
    .insert(Array.from({ length: 30 }, (_, n) => ({ library_id: library, name: `tag ${n}` })))
    .throwOnError()
  const collection = collections.find(({ name }) => name === TITLE)?.id
  for (let n = 0; n < 8; n += 1) {
    const { data: note } = await client.rpc('add_note', { library, title: `Log ${n}`, body: '# Log' }).throwOnError()
    await admin
      .from('documents')
      .update({ author: `Author ${n}`, dated: `19${n}0-01-01`, collection_id: collection ?? null })
      .eq('id', note.id)
      .throwOnError()
  }
  const [someone] = members
  const paths = [
    `/l/${library}`,
    `/l/${library}?view=list`,
    `/l/${library}?collection=${collection}&view=list&person=${someone?.id}&author=Author%201&dated=1910`,
    `/l/${library}/search?q=log`,
    `/l/${library}/members`,
    '/',
  ]
  // A word wider than its column.
  await client.rpc('add_note', { library, title: 'Instandhaltung'.repeat(5), body: 'x' }).throwOnError()
  await page.setViewportSize({ width: 1680, height: 900 })
  const edges: number[] = []
  for (const screen of [
    '',
    '/ask',
    '/compare',
    '/highlights',
    '/activity',
    '/members',
    '/insights',
    '/settings',
    '/trash',
  ]) {
    await page.goto(`/l/${library}${screen}`)
    edges.push(
      await page
        .locator('main h1')
        .first()
        .evaluate((heading) => heading.getBoundingClientRect().left),
    )
  }
  expect(edges, 'headings start at the same edge').toEqual(edges.map(() => edges[0]))
  for (const language of ['en', 'de', 'ar']) {
    await page.evaluate((language) => localStorage.setItem('carrel.appearance', JSON.stringify({ language })), language)
    for (const path of paths) {
      await page.goto(path)
      await page.locator('main h1').first().waitFor()
      await page.locator('main [aria-busy="true"], main [role="status"] .animate-pulse').waitFor({ state: 'detached' })
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        expect.soft(await faultsOf(page), `${path}, ${language}, ${width} px`).toEqual([])
        if (process.env.SCREENS)
          await page.screenshot({ path: `screens/head-${paths.indexOf(path)}-${language}-${width}.png` })
      }
    }
  }
  for (const { id } of members) await admin.auth.admin.deleteUser(id)
})

test('all filters and their button fit on a small laptop', { tag: '@nightly' }, async ({ page, signedIn, library }) => {
  await signedIn.client.rpc('add_note', { library, title: 'Lamp log', body: '# Lamp log' }).throwOnError()
  await page.setViewportSize({ width: 1280, height: 720 })
  await page.goto(`/l/${library}`)
  await page.getByRole('button', { name: 'Filter' }).click()
  await expect(page.getByRole('dialog', { name: 'Filter' }).getByRole('button', { name: 'Done' })).toBeInViewport({
    ratio: 1,
  })
})
