import { parse } from 'smol-toml'
import { expect, test } from 'vitest'
import { setTomlValues } from './edit-toml.ts'

const TABLE = ['auth', 'email', 'template', 'invite']

test('a section is added at the end, and everything else stays', () => {
  const toml = '# mine\nproject_id = "a" # the id\n\n[auth]\nenabled = true # yes\n'
  expect(setTomlValues(toml, TABLE, { subject: 'Say "hi"', content_path: './x.html' })).toBe(
    `${toml}\n[auth.email.template.invite]\nsubject = "Say \\"hi\\""\ncontent_path = "./x.html"\n`,
  )
  expect(setTomlValues('', TABLE, { subject: 'a' })).toBe('[auth.email.template.invite]\nsubject = "a"\n')
})

test('in a section that is there, a line is replaced with its comment kept, or added', () => {
  const toml = "[auth.email.template.invite] # ours\r\nsubject = 'old' # short\r\n\r\n[auth.sms]\r\nsubject = 1\r\n"
  expect(setTomlValues(toml, TABLE, { subject: 'new', content_path: './x.html' })).toBe(
    '[auth.email.template.invite] # ours\r\ncontent_path = "./x.html"\r\nsubject = "new" # short\r\n\r\n[auth.sms]\r\nsubject = 1\r\n',
  )
})

test.each([
  ['an inline table', '[auth.email]\ntemplate = { invite = { subject = "a" } }\n'],
  ['dotted keys', '[auth]\nemail.template.invite.subject = "a"\n'],
  ['a value of several lines', '[auth.email.template.invite]\nsubject = """\nold\n"""\n'],
  ['a header within a text', 'note = """\n[auth.email.template.invite]\n"""\n'],
])('%s is left alone', (_what, toml) => {
  expect(() => parse(toml)).not.toThrow()
  expect(setTomlValues(toml, TABLE, { subject: 'new' })).toBeNull()
})
