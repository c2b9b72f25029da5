import type { Page } from '@playwright/test'

/** Opens documents from the shelf one after the other.
 *  @returns milliseconds of each from the click on its card to the frame that shows the letters of its first page. */
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
    // Whoever clicks has pointed there before.
    await link.hover()
    await page.waitForTimeout(200)
    await link.click()
    times.push(await opened)
  }
  return times
}
