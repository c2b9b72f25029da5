import fc from 'fast-check'
import { parse } from 'smol-toml'
import { expect, test } from 'vitest'
import { setTomlValues } from './edit-toml.ts'

const TABLE = ['auth', 'email', 'template', 'invite']

test('adds a section at the end and leaves the rest unchanged', () => {
  const toml = '# mine\nproject_id = "a" # the id\n\n[auth]\nenabled = true # yes\n'
  expect(setTomlValues(toml, TABLE, { subject: 'Say "hi"', content_path: './x.html' })).toBe(
    `${toml}\n[auth.email.template.invite]\nsubject = "Say \\"hi\\""\ncontent_path = "./x.html"\n`,
  )
  expect(setTomlValues('', TABLE, { subject: 'a' })).toBe('[auth.email.template.invite]\nsubject = "a"\n')
})

test('in an existing section, replaces a line and keeps its comment, or adds one', () => {
  const toml = "[auth.email.template.invite] # ours\r\nsubject = 'old' # short\r\n\r\n[auth.sms]\r\nsubject = 1\r\n"
  expect(setTomlValues(toml, TABLE, { subject: 'new', content_path: './x.html' })).toBe(
    '[auth.email.template.invite] # ours\r\ncontent_path = "./x.html"\r\nsubject = "new" # short\r\n\r\n[auth.sms]\r\nsubject = 1\r\n',
  )
})

test('finds a section whose name is quoted', () => {
  const toml = "[functions . 'a-b']\nverify_jwt = true # x\n"
  expect(setTomlValues(toml, ['functions', 'a-b'], { verify_jwt: false })).toBe(toml.replace('true', 'false'))
})

test('removes a key with its line, and ignores a missing one', () => {
  const toml = '[api]\n# first\nmax_rows = 5 # five\nschemas = [\n  "a",\n]\n'
  expect(setTomlValues(toml, ['api'], { max_rows: null })).toBe('[api]\n# first\nschemas = [\n  "a",\n]\n')
  expect(setTomlValues(toml, ['api'], { schemas: null })).toBe('[api]\n# first\nmax_rows = 5 # five\n')
  expect(setTomlValues(toml, ['auth'], { site_url: null })).toBe(toml)
  expect(setTomlValues('api = { max_rows = 5 }\n', ['api'], { max_rows: null })).toBeNull()
})

test.each([
  ['an inline table', '[auth.email]\ntemplate = { invite = { subject = "a" } }\n'],
  ['dotted keys', '[auth]\nemail.template.invite.subject = "a"\n'],
  ['a multi-line value', '[auth.email.template.invite]\nsubject = """\nold\n"""\n'],
  ['a header within a string', 'note = """\n[auth.email.template.invite]\n"""\n'],
])('leaves %s unchanged', (_what, toml) => {
  expect(() => parse(toml)).not.toThrow()
  expect(setTomlValues(toml, TABLE, { subject: 'new' })).toBeNull()
})

const DOCUMENT = `# top
[api] # api
schemas = [ "public", # first
  "b",
] # after
max_rows=1_000 # rows

[auth]
  site_url   =   'http://a' # url
enable_signup = true
# enable_signup = false
name = "a # b = [c]"
[auth.email]
enable_signup = false
`
const KEYS: readonly (readonly [string[], string])[] = [
  [['api'], 'schemas'],
  [['api'], 'max_rows'],
  [['auth'], 'site_url'],
  [['auth'], 'enable_signup'],
  [['auth'], 'name'],
  [['auth', 'email'], 'enable_signup'],
]

test('changing a value leaves every other byte unchanged', () => {
  const value = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.nat(), fc.boolean(), fc.array(fc.string()))
  fc.assert(
    fc.property(fc.constantFrom(...KEYS), value, fc.constantFrom('\n', '\r\n'), ([table, key], next, newline) => {
      const document = DOCUMENT.replaceAll('\n', newline)
      const edited = setTomlValues(document, table, { [key]: next })
      if (edited === null) throw new Error(`${key} is not changed`)
      // Only the value's text may differ: putting the old one back restores the document.
      const text = Array.isArray(next) ? `[${next.map((one) => JSON.stringify(one)).join(', ')}]` : JSON.stringify(next)
      const [start, end] = [commonStart(document, edited), commonStart(reversed(document), reversed(edited))]
      expect(edited.length - start - end).toBeLessThanOrEqual(text.length)
      expect(setTomlValues(edited, table, { [key]: next })).toBe(edited)
    }),
  )
})

function commonStart(a: string, b: string): number {
  let length = 0
  while (length < Math.min(a.length, b.length) && a[length] === b[length]) length++
  return length
}
const reversed = (text: string): string => [...text].toReversed().join('')
