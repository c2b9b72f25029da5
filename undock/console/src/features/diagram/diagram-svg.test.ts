import { DOMParser } from '@xmldom/xmldom'
import { expect, test } from 'vitest'
import { diagramSvg } from './diagram-svg.ts'

const column = (name: string, isKey = false) => ({ name, type: 'bigint', isKey, isNullable: !isKey })

test('a diagram is a standalone, escaped SVG', () => {
  const hostile = `<script>"&'</script>`
  const columns = [column('id', true), column('parent')]
  const svg = diagramSvg({
    diagram: {
      tables: [
        { schema: 'public', name: 'a', columns },
        { schema: 'public', name: hostile, columns },
      ],
      keys: [{ name: 'k', from: `public.${hostile}`, fromColumn: 'parent', to: 'public.a', toColumn: 'id' }],
    },
    columns: new Map([
      ['public.a', []],
      [`public.${hostile}`, columns],
    ]),
    places: new Map([
      ['public.a', { x: 300, y: 40 }],
      [`public.${hostile}`, { x: 16, y: 40 }],
    ]),
    groups: [{ id: 'g', title: 'around a & b', tables: [], x: 0, y: 0, width: 560, height: 200 }],
  })
  const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml')
  expect(parsed.getElementsByTagName('script')).toHaveLength(0)
  expect(Array.from(parsed.getElementsByTagName('text'), ({ textContent }) => textContent)).toEqual([
    'around a & b',
    'a',
    hostile,
    'id',
    'bigint',
    'parent',
    'bigint?',
  ])
  expect(parsed.documentElement?.getAttribute('viewBox')).toBe('-24 -24 608 248')
  // From the right of the second column to the left of the folded table.
  expect(svg).toMatch(/<path d="M256 112[^"]* ?L? ?300[, ]58"/)
})
