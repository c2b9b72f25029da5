import { expect, test } from 'vitest'
import { MAX_FILE } from '../../../supabase/functions/_shared/facts.ts'
import { kindOfName } from '../../domain/file-kinds.ts'
import { fileFault, safeName, titleOf } from './limits.ts'

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

test.each([
  ['a PDF', 'report.pdf', 9000, '%PDF-1.7', undefined],
  ['a PDF with bytes before its header', 'scan.PDF', 9000, '\n\n%PDF-1.4', undefined],
  ['Markdown', 'notes.md', 10, '# Notes', undefined],
  ['text in UTF-16', 'notes.txt', 10, '\u00ff\u00feh\u0000i\u0000', undefined],
  ['a Word document', 'letter.docx', 10, 'PK\u0003\u0004', undefined],
  ['a slide show', 'talk.pptx', 10, 'PK\u0003\u0004', undefined],
  ['an RTF file', 'letter.rtf', 10, '{\\rtf1', undefined],
  ['an email', 'hello.eml', 10, 'From: a@example.org', undefined],
  ['an EPUB', 'novel.epub', 10, 'PK\u0003\u0004', undefined],
  [
    'an old Word document named .docx',
    'letter.docx',
    10,
    '\u00d0\u00cf\u0011\u00e0',
    /ends in \.docx, but its contents/,
  ],
  ['a Keynote presentation', 'talk.key', 10, 'PK\u0003\u0004', undefined],
  ['exactly the limit', 'big.pdf', MAX_FILE, '%PDF-1.7', undefined],
  ['one byte over the limit', 'big.pdf', MAX_FILE + 1, '%PDF-1.7', /the limit is 50 MB/],
  ['60 MB', 'big.pdf', 62_914_560, '%PDF-1.7', /This file is 60 MB; the limit is 50 MB\. Split it/],
  ['an empty file', 'empty.pdf', 0, '', /empty/],
  ['an SVG drawing', 'logo.svg', 90, '<svg onload=', undefined],
  ['a program', 'setup.exe', 10, 'MZ\u0000', undefined],
  ['no extension', 'README', 10, 'hello', undefined],
  ['an archive over the limit', 'backup.zip', MAX_FILE + 1, 'PK\u0003\u0004', /the limit is 50 MB/],
  ['an empty file of an unknown type', '__init__.py', 0, '', /empty/],
  ['an HTML page named .pdf', 'paper.pdf', 10, '<!doctype html>', /ends in \.pdf, but its contents aren’t that/],
  ['a PNG named .jpg', 'photo.jpg', 10, '\u0089PNG', /ends in \.jpg/],
  ['UTF-16 text without a BOM', 'notes.txt', 10, 'h\u0000i\u0000', undefined],
])('%s', (_name, name, size, beginning, fault) => {
  const found = fileFault({ name, size }, bytes(beginning))
  if (fault === undefined) expect(found).toBeUndefined()
  else expect(found).toMatch(fault)
})

test.each([
  ['a.pdf', 'application/pdf'],
  ['A.MD', 'text/markdown'],
  ['.pdf', 'application/pdf'],
  ['constructor', 'application/octet-stream'],
  ['a.constructor', 'application/octet-stream'],
  ['logo.svg', 'application/octet-stream'],
  ['page.xhtml', 'application/octet-stream'],
  ['film.MP4', 'video/mp4'],
])('the type of %s is %s', (name, type) => {
  expect(kindOfName(name).mediaType).toBe(type)
})

test.each([
  ['Jahresbericht 2026 (final).pdf', 'Jahresbericht-2026-final.pdf'],
  ['Übergröße.md', 'Ubergroe.md'],
  ['報告.pdf', 'file.pdf'],
  ['../../etc/passwd.txt', 'etc-passwd.txt'],
  ['con\u202egpj.exe.pdf', 'congpj.exe.pdf'],
  ['...pdf', 'file.pdf'],
  ['notes.v1 (2)', 'notes.v12'],
  [`a.${'x'.repeat(300)}`, `a.${'x'.repeat(20)}`],
  [`${'x'.repeat(300)}.pdf`, `${'x'.repeat(80)}.pdf`],
])('%s is stored as %s', (name, stored) => {
  expect(safeName(name)).toBe(stored)
})

test.each([
  ['annual-report_2026.final.pdf', 'annual-report_2026.final'],
  ['annual-report.pdf', 'annual-report'],
  ['invoice\u202efdp.txt', 'invoice fdp'],
  ['two\nlines\u0000.md', 'two lines'],
  ['../../etc/passwd.txt', '../../etc/passwd'],
  ['<img src=x onerror=alert(1)>.md', '<img src=x onerror=alert(1)>'],
  [`${'x'.repeat(400)}.pdf`, 'x'.repeat(300)],
  ['.pdf', '.pdf'],
  ['my_tool-v2.py', 'my_tool-v2.py'],
  ['ssh_config.5', 'ssh_config.5'],
  ['two\nlines.zip', 'two lines.zip'],
  ['lamp-room.mp4', 'lamp-room'],
])('%j has the title %j', (name, title) => {
  expect(titleOf(name)).toBe(title)
})
