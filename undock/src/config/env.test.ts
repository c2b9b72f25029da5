// biome-ignore-all lint/suspicious/noTemplateCurlyInString: values of variables
import { expect, test } from 'vitest'
import { parseEnvFile } from './env.ts'

test.each<[string, Record<string, string>]>([
  ['A=ab#c', { A: 'ab#c' }],
  ['A=ab #c', { A: 'ab' }],
  ['A=1 # a # b', { A: '1 # a' }],
  ['A= # b', { A: '# b' }],
  ['DB=postgres://u:p#w@h/d', { DB: 'postgres://u:p#w@h/d' }],
  ['J={"a":"b#c"}', { J: '{"a":"b#c"}' }],
  ['B=1\nA=$B-${B}\nC="$B"\nD=\'$B\'', { B: '1', A: '1-1', C: '1', D: '$B' }],
  ['A=$UNSET.', { A: '.' }],
  ['A=pa$word', { A: 'pa$word' }],
  ['A=costs $ 5 ${}', { A: 'costs $ 5 ${}' }],
  ['A=$(B) \\$B', { A: '(B) $B' }],
  ['A="esc \\"q\\" x"', { A: 'esc "q" x' }],
  ['A="a\\$B"', { A: 'a$B' }],
  ['A="a\\nb\\\\c\\td"', { A: 'a\nb\\ctd' }],
  ["A='a\\nb' # c", { A: 'a\\nb' }],
  ['A="one\n# two\nthree"\nB=2', { A: 'one\n# two\nthree', B: '2' }],
  ['A=""\nB=\nC=\'\'', { A: '', B: '', C: '' }],
  ['  export  A = 1\r\nB : 2\r\n', { A: '1', B: '2' }],
  ['# first\n\n\tA.b=1', { 'A.b': '1' }],
  ['A="1" and more\nB=2', { A: '1', B: '2' }],
  ['A=a"b"\nB=`c`', { A: 'a"b"', B: '`c`' }],
  ['\uFEFFA=1\nA=2\n__proto__=3', JSON.parse('{"A":"2","__proto__":"3"}')],
  ['A=a\rB=b\u2028c # d\re\nC=1', { A: 'a\rB=b\u2028c', C: '1' }],
  ['', {}],
])('%j', (text, variables) => expect(parseEnvFile(text, '.env')).toEqual(variables))

test.each([
  ['OK=1\nA-B=1', '.env:2: is not NAME=VALUE: - is not allowed in a name'],
  ['A', '.env:1: is not NAME=VALUE. '],
  ['A\nB=1', '.env:1: is not NAME=VALUE. '],
  ['=1', '.env:1: is not NAME=VALUE. '],
  ['\nA="open\nB=1', '.env:2: A begins with ", but has no closing quote'],
])('rejects %j', (text, message) => expect(() => parseEnvFile(text, '.env')).toThrow(message))

// Half a minute if the search for a comment begins at each character.
test('reads a long value without a comment', { timeout: 5_000 }, () => {
  const value = 'x'.repeat(200_000)
  expect(parseEnvFile(`A=${value}`, '.env')).toEqual({ A: value })
})
