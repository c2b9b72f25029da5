import type { Page } from '@playwright/test'

/** Opens documents from the shelf, one by one.
 *  @returns milliseconds from the click to the frame with the first page's text. */
export async function measureOpening(page: Page, shelf: string, titles: readonly string[]): Promise<number[]> {
  const times: number[] = []
  for (const title of titles) {
    await page.goto(shelf)
    const link = page.getByRole('article', { name: title }).getByRole('link').first()
    await link.waitFor()
    await page.waitForLoadState('networkidle')
    const opened = page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const watch = (clicked: number) => {
            if (document.querySelector('[data-page="1"] .pdf-text span')) resolve(performance.now() - clicked)
            else requestAnimationFrame(() => watch(clicked))
          }
          addEventListener('click', () => watch(performance.now()), { capture: true, once: true })
        }),
    )
    // People hover before they click.
    await link.hover()
    await page.waitForTimeout(200)
    await link.click()
    times.push(await opened)
  }
  return times
}
