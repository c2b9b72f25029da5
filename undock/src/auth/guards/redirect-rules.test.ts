import { describe, expect, test } from 'vitest'
import { createRedirectRules, globToRegExp } from './redirect-rules.ts'

describe('globs', () => {
  test.each([
    ['https://*.example.com', 'https://a.example.com', true],
    ['https://*.example.com', 'https://a.b.example.com', false],
    ['https://**.example.com', 'https://a.b.example.com', true],
    ['https://example.com/*', 'https://example.com/a', true],
    ['https://example.com/*', 'https://example.com/', true],
    ['https://example.com/*', 'https://example.com/a/b', false],
    ['https://example.com/**', 'https://example.com/a/b.html', true],
    ['https://example.com/?', 'https://example.com/a', true],
    ['https://example.com/?', 'https://example.com/ab', false],
    ['https://{one,two}.example.com', 'https://two.example.com', true],
    ['https://{one,two}.example.com', 'https://three.example.com', false],
    ['https://v[0-9].example.com', 'https://v7.example.com', true],
    ['https://v[!0-9].example.com', 'https://v7.example.com', false],
    ['https://example.com/a\\*b', 'https://example.com/a*b', true],
    ['https://example.com/a+b(c)', 'https://example.com/a+b(c)', true],
    ['https://exampleXcom', 'https://example.com', false],
    ['com.example.app://**', 'com.example.app://callback/x', true],
    ['https://{open', 'https://{open', true],
    ['https://*-preview.example/**', 'https://a-preview.example/b', true],
    ['https://*-preview.example/**', 'https://evil?-preview.example/b', false],
    ['https://*-preview.example/**', 'https://evil#-preview.example/b', false],
    ['https://**.example.com/**', 'https://evil.test/x.example.com/b', false],
    ['https://**.example.com/**', 'https://evil.test?.example.com/b', false],
    ['https://**.example.com/**', 'https://evil@a.example.com/b', false],
    ['https://example.com**', 'https://example.com/a?b#c', true],
    ['exp://**/--/auth', 'exp://192.168.0.1:8081/--/auth', true],
  ])('%s on %s: %s', (glob, text, matches) => {
    expect(globToRegExp(glob).test(text)).toBe(matches)
  })
})

describe('allowed redirects', () => {
  const rules = createRedirectRules({
    site_url: 'https://site.example:8443/app',
    additional_redirect_urls: ['https://*.preview.example/**', 'com.example.app://**', 'http://localhost:3000'],
  })
  test.each([
    ['the site itself', 'https://site.example:8443/any/path?x=1', true],
    ['another port', 'https://site.example/', false],
    ['another scheme', 'http://site.example:8443/', false],
    ['a listed glob', 'https://pr-7.preview.example/welcome#x', true],
    ['another host before the glob', 'https://evil?.preview.example/', false],
    ['beyond the glob', 'https://a.b.preview.example/', false],
    ['an app', 'com.example.app://callback', true],
    ['loopback address', 'http://127.0.0.1:54321/x', true],
    ['IPv6 loopback address', 'http://[::1]:3000/', true],
    ['the percent-encoded site', 'https://site%2eexample:8443/', false],
    ['loopback with another scheme', 'evilapp://127.0.0.1/', false],
    ['another address', 'http://10.0.0.1/', false],
    ['an address in decimal', 'http://2130706433/', false],
    ['an address in hexadecimal', 'http://0x7f.0.0.1/', false],
    ['a host name that looks like an address', 'http://127.0.0.1.evil.example/', false],
    ['a listed exact URL', 'http://localhost:3000', true],
    ['an exact URL with a suffix', 'http://localhost:3000/more', false],
    ['user and password before a foreign host', 'https://site.example:8443@evil.example/', false],
    ['user and password before the site', 'https://x:y@site.example:8443/', false],
    ['a backslash', 'https://evil.example\\.site.example:8443/', false],
    ['a script', 'javascript://site.example:8443/%0aalert(1)', false],
    ['a lookalike full stop', 'https://evil。.preview.example/', false],
    ['lookalike letters', 'https://ｐr-7.preview.example/', false],
    ['percent-encoded letters', 'https://%70r-7.preview.example/', false],
    ['no slashes', 'https:pr-7.preview.example/', false],
    ['a leading space', ' https://site.example:8443/', false],
    ['a line break', 'https://site.example:8443/\n', false],
    ['a fragment that matches', 'https://evil.example/#https://site.example:8443', false],
    ['an invalid URL', 'welcome', false],
    ['an empty string', '', false],
  ])('%s', (_name, url, allowed) => {
    expect(rules.allows(url)).toBe(allowed)
  })

  test.each(['http://my_service:3000', 'https://bücher.example'])('accepts a site as it is written: %s', (site) => {
    const own = createRedirectRules({ site_url: site, additional_redirect_urls: [] })
    expect([own.allows(`${site}/welcome`), own.allows(`${site}.evil.example/`)]).toEqual([true, false])
  })

  test('chooses the first allowed candidate, else the site', () => {
    expect(rules.choose(['https://evil.example', 'https://a.preview.example/x'])).toBe('https://a.preview.example/x')
    expect(rules.choose([null, ''])).toBe('https://site.example:8443/app')
  })
})
