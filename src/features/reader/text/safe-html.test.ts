// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { safeHtml, safeMarkdown } from './safe-html.ts'

test.each([
  ['a script', '<script>alert(1)</script>text', 'text'],
  ['an event handler', '<p onclick="alert(1)">text</p>', '<p>text</p>'],
  ['a picture with an error handler', '<img src=x onerror=alert(1)>', '<img>'],
  ['a picture from another site', '<img src="https://spy.example/pixel.png" alt="a lamp">', '<img alt="a lamp">'],
  ['an SVG with a script', '<svg><script>alert(1)</script></svg>', ''],
  ['a form', '<form action="https://spy.example"><input name="password"></form>', ''],
  ['a style that covers the page', '<div style="position:fixed;inset:0">x</div>', '<div>x</div>'],
  ['a style sheet', '<style>body{display:none}</style>x', 'x'],
  ['a frame', '<iframe src="https://spy.example"></iframe>', ''],
  ['a script link', '<a href="javascript:alert(1)">x</a>', '<a>x</a>'],
  [
    'a link',
    '<a href="https://example.org">x</a>',
    '<a href="https://example.org" target="_blank" rel="noopener noreferrer nofollow">x</a>',
  ],
  ['ids and names that shadow the page', '<p id="root" name="body">x</p>', '<p>x</p>'],
])('%s', (_name, html, safe) => {
  expect(safeHtml(html)).toBe(safe)
})

test('Markdown is rendered, and HTML in it is sanitized in the same way', () => {
  expect(safeMarkdown('# Lamps\n\n**green** <script>alert(1)</script>\n\n[x](javascript:alert)').trim()).toBe(
    '<h1>Lamps</h1>\n<p><strong>green</strong> </p>\n<p><a>x</a></p>',
  )
})

test.each([
  [
    'task list',
    '- [ ] a\n- [x] b',
    '<ul dir="auto">\n<li><input type="checkbox" disabled="" aria-label="Done"> a</li>\n<li><input type="checkbox" checked="" disabled="" aria-label="Done"> b</li>\n</ul>',
  ],
  [
    'HTML inputs',
    '- <input type="checkbox" data-task="1"> a\n\n<input name="password">',
    '<ul dir="auto">\n<li> a</li>\n</ul>',
  ],
  [
    'a mention',
    'By @[Ada <b>L</b>](0b1f4a52-9d1c-4a53-8d5b-0a4d2f6a1b2c).',
    '<p>By <span class="mention">@Ada L</span>.</p>',
  ],
  [
    'a link to a document',
    'See [x](/l/0b1f4a52-9d1c-4a53-8d5b-0a4d2f6a1b2c/d/0b1f4a52-9d1c-4a53-8d5b-0a4d2f6a1b2d)',
    '<p>See <a href="/l/0b1f4a52-9d1c-4a53-8d5b-0a4d2f6a1b2c/d/0b1f4a52-9d1c-4a53-8d5b-0a4d2f6a1b2d">x</a></p>',
  ],
  [
    'a link to a document alone',
    '[x](/l/0b1f4a52-9d1c-4a53-8d5b-0a4d2f6a1b2c/d/0b1f4a52-9d1c-4a53-8d5b-0a4d2f6a1b2d)',
    '<p><a href="/l/0b1f4a52-9d1c-4a53-8d5b-0a4d2f6a1b2c/d/0b1f4a52-9d1c-4a53-8d5b-0a4d2f6a1b2d" data-card="">x</a></p>',
  ],
])('%s', (_name, markdown, html) => {
  expect(safeMarkdown(markdown).trim()).toBe(html)
})
