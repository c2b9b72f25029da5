import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect } from './fixtures.ts'

/** axe finds no fault on the page as it stands. Not within a snapshot's frame: nothing can run there, the checker included. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  // Otherwise it puts each report together in a new tab, for the sake of frames from elsewhere.
  const { violations } = await new AxeBuilder({ page }).exclude('iframe').setLegacyMode().analyze()
  expect
    .soft(
      violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
      what,
    )
    .toEqual([])
}
