import { describe, expect, test } from 'vitest'
import { TemplateError } from './expression.ts'
import { compileTemplate } from './template.ts'

const data = {
  SiteURL: 'https://site.example',
  ConfirmationURL: 'https://api.example/verify?token=a&type=signup&redirect_to=https://site.example/x',
  Token: '123456',
  TokenHash: 'pkce_ab/c',
  Email: 'a&b@example.com',
  Empty: '',
  Data: { attack: 'x onload="y"\t`', name: '<b>Ada</b>', langs: ['en', 'de'], admin: true, n: 3, __proto__: null },
}

describe('renders', () => {
  test.each([
    ['plain text', 'Hello', 'Hello'],
    ['a field', 'Code {{ .Token }}.', 'Code 123456.'],
    ['without spaces', '{{.Token}}', '123456'],
    ['a nested field', '{{ .Data.n }}', '3'],
    ['nothing for a missing field', '[{{ .Nope }}{{ .Data.nope.deeper }}]', '[]'],
    ['markup escaped', '{{ .Data.name }}', '&lt;b&gt;Ada&lt;/b&gt;'],
    [
      'a URL in an attribute',
      '<a href="{{ .ConfirmationURL }}">',
      '<a href="https://api.example/verify?token=a&amp;type=signup&amp;redirect_to=https://site.example/x">',
    ],
    [
      'a value in a query',
      '<a href="{{ .SiteURL }}/c?token_hash={{ .TokenHash }}&type=email">',
      '<a href="https://site.example/c?token_hash=pkce_ab%2Fc&type=email">',
    ],
    ['a script scheme disarmed', '<a href="{{ .Data.name }}x">', '<a href="%3Cb%3EAda%3C/b%3Ex">'],
    ["an attribute that isn't a URL", '<p title="{{ .Email }}">', '<p title="a&amp;b@example.com">'],
    ['an unquoted value', '<p title={{ .Data.attack }}>', '<p title=x&#32;onload&#61;&#34;y&#34;&#9;&#96;>'],
    ['if', '{{ if .Data.admin }}yes{{ end }}{{ if .Empty }}no{{ end }}', 'yes'],
    ['if, else if and else', '{{ if .Empty }}a{{ else if eq .Token "123456" }}b{{ else }}c{{ end }}', 'b'],
    ['range', '{{ range .Data.langs }}<{{ . }}>{{ else }}none{{ end }}', '<en><de>'],
    ['range over nothing', '{{ range .Data.nope }}x{{ else }}none{{ end }}', 'none'],
    ['with, and the root inside it', '{{ with .Data }}{{ .n }}{{ $.Token }}{{ end }}', '3123456'],
    ['trimmed spaces', 'a  {{- .Token -}}  b', 'a123456b'],
    ['comments', 'a{{/* not shown */}}b', 'ab'],
    ['functions and pipes', '{{ printf "%s-%s" .Token "x" | urlquery }}', '123456-x'],
    ['index', '{{ index .Data "langs" 1 }}', 'de'],
    ['and, or, not', '{{ or .Empty .Token }} {{ and .Empty .Token }} {{ not .Empty }}', '123456  true'],
    ['parentheses', '{{ if (and .Token (not .Empty)) }}ok{{ end }}', 'ok'],
    ['strings with braces', '{{ `{{ raw }` }}', '{{ raw }'],
    ['no prototype', '{{ .constructor }}{{ .Data.toString }}{{ .Data.langs.length }}', '2'],
  ])('%s', (_name, source, rendered) => {
    expect(compileTemplate(source)(data)).toBe(rendered)
  })

  test.each(['constructor', '__proto__', 'toString'])('exposes no prototype function: %s', (name) => {
    expect(() => compileTemplate(`{{ ${name} .Token }}`)).toThrow(TemplateError)
  })

  test('removes a link that would run a script', () => {
    expect(compileTemplate('<a href="{{ .U }}">')({ U: 'javascript:alert(1)' })).toBe('<a href="#ZgotmplZ">')
    expect(compileTemplate('<a href="{{ .U }}">')({ U: 'com.example.app://callback' })).toBe(
      '<a href="com.example.app://callback">',
    )
  })
})

test.each([
  '{{ .Token',
  '{{ if .Token }}x',
  '{{ end }}',
  '{{ nope .Token }}',
  '{{ if }}x{{ end }}',
  '{{ . | }}',
  '{{ else }}',
  '{{ "open }}',
  '{{}}',
])("can't parse %s", (source) => {
  expect(() => compileTemplate(source)({})).toThrow(TemplateError)
})
