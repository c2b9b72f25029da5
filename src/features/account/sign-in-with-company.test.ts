import { AuthApiError } from '@supabase/supabase-js'
import { expect, test } from 'vitest'
import { describeCompanyError, domainOf } from './sign-in-with-company.ts'

test.each([
  ['ada@Company.example', 'company.example'],
  [' ada@mail.company.example ', 'mail.company.example'],
  ['company.example', undefined],
  ['ada@localhost', undefined],
  ['ada lovelace@company.example', undefined],
  ['', undefined],
])('the domain of %j is %s', (address, domain) => {
  expect(domainOf(address)).toBe(domain)
})

test.each([
  [
    new AuthApiError('No SSO provider assigned for this domain', 404, 'sso_provider_not_found'),
    'No company with emails at company.example is set up here. Check your email, or sign in another way.',
  ],
  [
    new AuthApiError('SAML 2.0 is disabled', 404, 'saml_provider_disabled'),
    'Company sign-in is unavailable at the moment. Ask the people who run this service.',
  ],
  [new AuthApiError('x', 429, 'over_request_rate_limit'), 'Too many attempts. Wait a minute, then try again.'],
])('errors are explained: %s', (error, text) => {
  expect(describeCompanyError(error, 'company.example')).toBe(text)
})
