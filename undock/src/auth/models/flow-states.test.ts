import { expect, test } from 'vitest'
import { verifierMatches } from './flow-states.ts'

test.each([
  [
    'rules of RFC 7636',
    'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    's256',
    true,
  ],
  ['another verifier', 'x', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', 's256', false],
  ['plain', 'test', 'test', 'plain', true],
  ['an empty verifier and challenge', '', '', 'plain', false],
] as const)('PKCE: %s', (_name, verifier, code_challenge, code_challenge_method, expected) => {
  expect(verifierMatches({ code_challenge, code_challenge_method }, verifier)).toBe(expected)
})
