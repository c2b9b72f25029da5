import { expect, test } from 'vitest'
import { fillTemplate, templateFrom } from './template-text.ts'

test('placeholders are filled in, other text is unchanged', () => {
  const filling = { date: 'May 1', title: '\\*Oil\\* $& $1', author: 'Ada' }
  expect(fillTemplate('# {{title}}\n\n{{ date }}, {{author}} {{other}} {date}', filling)).toBe(
    '# \\*Oil\\* $& $1\n\nMay 1, Ada {{other}} {date}',
  )
})

test('a template keeps the descriptions of pictures', () => {
  const own = 'pictures/0b1f4a52-9d1c-4a53-8d5b-0a4d2f6a1b2c.png'
  expect(templateFrom(`a ![green \\] lamp](${own} "x") b ![](${own}) ![c](https://a.org/c.png)`)).toEqual({
    body: 'a green \\] lamp b  ![c](https://a.org/c.png)',
    pictures: 2,
  })
})
