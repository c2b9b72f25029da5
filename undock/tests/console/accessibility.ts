import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect } from './fixtures.ts'

const LOOKS = process.env.NIGHTLY ? (['light', 'dark'] as const) : (['light'] as const)
/** Axe's slowest rule, and the one whose result depends on the look. */
const UNCHECKED = process.env.NIGHTLY ? [] : ['color-contrast']

/** Expects axe to find no fault on the page; at night also of contrast, light and dark. The frame of a mail is excluded: no script can
 *  run there.
 *  @param what Names the page in the message of a failure. */
export async function expectAccessible(page: Page, what = ''): Promise<void> {
  for (const colorScheme of LOOKS) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const axe = new AxeBuilder({ page }).exclude('iframe').disableRules(UNCHECKED).setLegacyMode()
    const { violations } = await axe.analyze()
    const found = violations.map(({ id, nodes }) => `${colorScheme} ${id}: ${nodes[0]?.html}`)
    expect.soft(found, what).toEqual([])
  }
}
