import { expect, test } from 'vitest'
import { pageTexts } from './page-texts.ts'

test('repeated sentences and headings of overlapping passages appear once, on their page', () => {
  const pages = pageTexts([
    { page: 1, heading: 'Lamps', content: 'Oil burns. It smokes.' },
    { page: 1, heading: 'Lamps', content: 'It smokes. Trim the wick.' },
    { page: 3, heading: 'Lenses', content: 'Glass bends light.' },
    { page: 3, heading: 'Lenses', content: 'Glass bends light.' },
  ])
  expect([...pages]).toEqual([
    [
      1,
      [
        { heading: 'Lamps', text: 'Oil burns. It smokes.' },
        { heading: null, text: 'Trim the wick.' },
      ],
    ],
    [3, [{ heading: 'Lenses', text: 'Glass bends light.' }]],
  ])
})
