import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect } from './fixtures.ts'

/** Expects axe to find no fault on the page, light and dark. The frame of a mail is excluded: no script can run there.
 *  @param what Names the page in the message of a failure. */
export async function expectAccessible(page: Page, what = ''): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const { violations } = await new AxeBuilder({ page }).exclude('iframe').setLegacyMode().analyze()
    const found = violations.map(({ id, nodes }) => `${colorScheme} ${id}: ${nodes[0]?.html}`)
    expect.soft(found, what).toEqual([])
  }
}
