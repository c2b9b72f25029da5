import { expect, test } from 'vitest'
import { findInMail } from './find-in-mail.ts'

test('finds codes but no other numbers', () => {
  const text = 'Your code: 123456. Order 2026-10-11, call +49 1234567, see https://example.com/?token=7654321'
  expect(findInMail({ text, html: '' }).codes).toEqual(['123456'])
})

test('finds links once, with their texts, except executable ones', () => {
  const html =
    '<a href="https://example.com/verify?token=a&amp;b=1"> <b>Confirm</b>\n mail&#33; </a><a href="javascript:alert(1)">x</a><a href="/y">y</a>'
  const text = 'Confirm: https://example.com/verify?token=a&b=1. Or (http://localhost:3000/x)'
  expect(findInMail({ text, html }).links).toEqual([
    { text: 'Confirm mail!', url: 'https://example.com/verify?token=a&b=1' },
    { text: '', url: 'http://localhost:3000/x' },
  ])
})
