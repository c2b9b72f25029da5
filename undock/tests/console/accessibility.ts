import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect } from './fixtures.ts'

const LOOKS = process.env.NIGHTLY ? (['light', 'dark'] as const) : (['light'] as const)
/** Axe's slowest rule, and the one that depends on the theme. */
const UNCHECKED = process.env.NIGHTLY ? [] : ['color-contrast']

/** Expects axe to find no violations on the page; at night also of contrast, light and dark. Excludes the frame of an email, where
 *  scripts can't run.
 *  @param what Names the page in failure messages. */
export async function expectAccessible(page: Page, what = ''): Promise<void> {
  for (const colorScheme of LOOKS) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const axe = new AxeBuilder({ page }).exclude('iframe').disableRules(UNCHECKED).setLegacyMode()
    const { violations } = await axe.analyze()
    const found = violations.map(({ id, nodes }) => `${colorScheme} ${id}: ${nodes[0]?.html}`)
    expect.soft(found, what).toEqual([])
  }
}
