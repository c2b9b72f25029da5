import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect } from './fixtures.ts'

/** Axe's slowest rule. The nightly part `screens` checks the contrast of every screen, light and dark. */
const UNCHECKED = process.env.NIGHTLY ? [] : ['color-contrast']

/** Expects axe to find no fault. Excludes a snapshot's frame, where no script can run. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  // Otherwise axe opens a tab for each report, because of possible cross-origin frames.
  const axe = new AxeBuilder({ page }).exclude('iframe').disableRules(UNCHECKED).setLegacyMode()
  const { violations } = await axe.analyze()
  expect
    .soft(
      violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
      what,
    )
    .toEqual([])
}
