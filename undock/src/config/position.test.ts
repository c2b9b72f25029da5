import { expect, test } from 'vitest'
import { indexKeys, type Path } from './position.ts'

const TOML = `# a comment with [a.header] and key = 1
project_id = "one"

[auth]
site_url = "http://x/#not-a-comment"
urls = [
  "a", # ]
  "b",
]
[auth.email.template."sign in"]
subject = """
[not.a.table]
key = 1
"""
after = 'x'
[[rules]]
name = "first"
[[rules]]
name = "second"
[storage]
buckets.images.public = true
inline = { a = 1, b = "}" }
"quoted \\u0041" = 1
`

test.each<[Path, number | undefined]>([
  [['project_id'], 2],
  [['auth'], 4],
  [['auth', 'site_url'], 5],
  [['auth', 'urls'], 6],
  [['auth', 'urls', 1], 6],
  [['auth', 'email', 'template', 'sign in'], 10],
  [['auth', 'email', 'template', 'sign in', 'subject'], 11],
  [['auth', 'email', 'template', 'sign in', 'after'], 15],
  [['rules', 0, 'name'], 17],
  [['rules', 1, 'name'], 19],
  [['storage', 'buckets', 'images', 'public'], 21],
  [['storage', 'inline', 'b'], 22],
  [['storage', 'quoted A'], 23],
  [['storage', 'missing'], 20],
  [['not', 'a', 'table'], undefined],
])('finds %j on line %s', (path, line) => expect(indexKeys(TOML)(path)).toBe(line))

test('counts CRLF line endings once', () => expect(indexKeys('[a]\r\nb = 1\r\nc = 2\r\n')(['a', 'c'])).toBe(3))

test('skips a byte order mark', () => expect(indexKeys('\uFEFFa = 1\nb = 2')(['a'])).toBe(1))

test("text without a key on a line doesn't cause an endless loop", () =>
  expect(indexKeys('a = 1 \n\t\n')(['a'])).toBe(1))
