// Malicious web pages: only their words may be indexed and passed to a model.
import { deepStrictEqual, ok, throws } from 'node:assert/strict'
import { extractHtml } from './html.ts'

const HARMFUL = `<html><head><title>Lamps</title><base href="http://127.0.0.1/">
<meta http-equiv="refresh" content="0;url=https://evil.example/">
<script>stolen()</script><style>body { background: url(https://evil.example/track) }</style></head>
<body onload="stolen()"><article><h1>Lamps</h1><p onclick="stolen()">The keeper of the lamp trims the wick at dusk.</p>
<iframe src="https://evil.example/frame" srcdoc="<script>stolen()</script>">Frame</iframe>
<object data="https://evil.example/object"></object><noscript><img src="https://evil.example/pixel"></noscript>
<form action="https://evil.example/form"><input value="secret"><button>Send</button></form>
<template><p>Hidden words</p></template><svg onload="stolen()"><script>stolen()</script></svg></article></body></html>`

Deno.test('only the words are read of a page with scripts, frames, forms and a base URL', () => {
  const kept = JSON.stringify(extractHtml(HARMFUL).sections)
  ok(kept.includes('The keeper of the lamp trims the wick at dusk.'))
  deepStrictEqual(kept.match(/stolen|evil\.example|onclick|onload|<script|<iframe|srcdoc|track/g), null)
})

Deno.test('a page with 30,000 boxes is read', () => {
  const box = `<div class="sidebar">${'The keeper of the lamp trims the wick. '.repeat(4)}</div>`
  const { sections } = extractHtml(`<html><body><article>${box.repeat(30_000)}</article></body></html>`)
  ok(sections.some(({ text }) => text.includes('trims the wick')))
})

Deno.test('a page with thousands of attributes or too many elements for reader mode is read', () => {
  const attributes = Array.from({ length: 40_000 }, (_, index) => `a${index}=1`).join(' ')
  for (const page of [`<p ${attributes}>The keeper.`, '<table><tr><td>The keeper.<td>12</table>'.repeat(9000)])
    ok(extractHtml(page).sections[0]?.text.startsWith('The keeper.'))
})

Deno.test('100,000 nested elements are rejected', () => {
  throws(() => extractHtml(`<html><body>${'<div>'.repeat(100_000)}<p>The keeper of the lamp.</p>`), /nested too deeply/)
})

Deno.test('thousands of closed SVG elements are accepted, unclosed ones are rejected', () => {
  const drawing = `<svg>${'<path d="M9,55" />'.repeat(3000)}</svg>`
  const { sections } = extractHtml(`<html><body>${drawing}<p>The keeper of the lamp trims the wick.</p></body></html>`)
  ok(sections.some(({ text }) => text.includes('trims the wick')))
  for (const tag of ['<div />', '<svg><g title="/>">'])
    throws(() => extractHtml(`<html><body>${tag.repeat(3000)}<p>The keeper.</p>`), /nested too deeply/)
})
