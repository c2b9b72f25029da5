import { expectAccessible } from './accessibility.ts'
import { test } from './fixtures.ts'
import { SCREENS } from './screen-titles.ts'

for (const path of Object.keys(SCREENS))
  test(`${path} is accessible on a wide and on a narrow screen`, async ({ page }) => {
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    await expectAccessible(page, 'wide')
    await page.setViewportSize({ width: 600, height: 800 })
    await expectAccessible(page, 'narrow')
  })
