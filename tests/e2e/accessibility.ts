import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect } from './fixtures.ts'

/** Expects axe to find no fault. Excludes a snapshot's frame, where no script can run. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  // Otherwise axe opens a tab for each report, because of possible cross-origin frames.
  const { violations } = await new AxeBuilder({ page }).exclude('iframe').setLegacyMode().analyze()
  expect
    .soft(
      violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
      what,
    )
    .toEqual([])
}
