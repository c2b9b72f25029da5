import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect } from './fixtures.ts'

/** Expects axe to find no fault on the page. A snapshot's frame is excluded: no script can run there, not even axe. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  // Otherwise axe assembles each report in a new tab, because of possible cross-origin frames.
  const { violations } = await new AxeBuilder({ page }).exclude('iframe').setLegacyMode().analyze()
  expect
    .soft(
      violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
      what,
    )
    .toEqual([])
}
