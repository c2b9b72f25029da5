import { deepStrictEqual, rejects } from 'node:assert/strict'
import { Unreadable } from '../errors.ts'
import { type Content, sniff } from './sniff.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const binary = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))

const READ: readonly [string, Uint8Array, string, Content][] = [
  ['a PDF', bytes('%PDF-1.7\n'), 'a.pdf', { kind: 'pdf' }],
  ['a PDF without an extension', bytes('%PDF-1.7\n'), 'a', { kind: 'pdf' }],
  ['a PDF with bytes before its header', binary('\x00\x01junk%PDF-1.4'), 'a.pdf', { kind: 'pdf' }],
  [
    'text about PDFs',
    bytes('A file that begins with %PDF- is a PDF.'),
    'a.txt',
    { kind: 'text', mimeType: 'text/plain', text: 'A file that begins with %PDF- is a PDF.' },
  ],
  ['a picture', binary('\x89PNG\r\n\x1a\nxyz'), 'a.png', { kind: 'image', mimeType: 'image/png' }],
  ['Markdown', bytes('# A'), 'a.MD', { kind: 'text', mimeType: 'text/markdown', text: '# A' }],
  [
    'an HTML page',
    bytes('\n<!DOCTYPE html><p>a'),
    'a.txt',
    { kind: 'text', mimeType: 'text/html', text: '\n<!DOCTYPE html><p>a' },
  ],
  ['an HTML fragment', bytes('<p>a'), 'a.html', { kind: 'text', mimeType: 'text/html', text: '<p>a' }],
  ['text with a BOM', binary('\xff\xfeh\x00i\x00'), 'a.txt', { kind: 'text', mimeType: 'text/plain', text: 'hi' }],
  ['Windows-1252 text', binary('caf\xe9'), 'a.txt', { kind: 'text', mimeType: 'text/plain', text: 'café' }],
  [
    'a Latin-1 bibliography',
    binary('author={M\xfcller}'),
    'a.bib',
    { kind: 'text', mimeType: 'text/plain', text: 'author={Müller}' },
  ],
  ['an email with one header', bytes('Subject: Bell\r\n\r\nIt rang.'), 'a.eml', { kind: 'email' }],
  ['an email after a blank line', bytes('\r\nFrom: a@b.example\r\nSubject: Bell'), 'a.eml', { kind: 'email' }],
  [
    'an email with thousands of recipients',
    bytes(`To: ${'a@b.example,\r\n '.repeat(3000)}c@d.example\r\n`),
    'a.eml',
    { kind: 'email' },
  ],
  ['a text table named .xls', bytes('a\tb'), 'a.xls', { kind: 'text', mimeType: 'text/csv', text: 'a\tb' }],
  ['RTF named .doc', bytes('{\\rtf1 a}'), 'a.doc', { kind: 'rtf' }],
  [
    'a saved page named .doc',
    bytes('Subject: Bell\r\nContent-Type: multipart/related; boundary=x\r\n\r\n'),
    'a.doc',
    { kind: 'mhtml' },
  ],
  ['source code', bytes('print(1)'), 'a.py', { kind: 'text', mimeType: 'text/plain', text: 'print(1)' }],
  ['text without an extension', bytes('all: x'), 'Makefile', { kind: 'text', mimeType: 'text/plain', text: 'all: x' }],
]
const AS_IT_IS: readonly [string, Uint8Array, string, string?][] = [
  ['a torn archive', binary('PK\x03\x04'), 'a.zip'],
  ['an old Office document', binary('\xd0\xcf\x11\xe0'), 'a.pub'],
  ['a program', binary('\x7fELF\x02'), 'a'],
  ['noise', binary('\x00\x01\x02\x03'), 'a.dat'],
  ['an archive whose first entry is a PDF', binary(`${'a.pdf'.padEnd(512, '\0')}%PDF-1.7`), 'a.tar'],
  ['whitespace without an extension', bytes(' \n'), 'a'],
  ['an SVG', bytes('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'a.svg'],
  ['audio, whatever its content', bytes('RIFF'), 'a.wav', 'audio/wav'],
]
for (const [name, content, fileName, expected] of READ) {
  Deno.test(`accepts ${name}`, async () => deepStrictEqual(await sniff(content, fileName), expected))
}
for (const [what, content, name, mimeType = 'application/octet-stream'] of AS_IT_IS) {
  Deno.test(`stores ${what} without reading`, async () =>
    deepStrictEqual(await sniff(content, name), { kind: 'none', mimeType, name }))
}

const REFUSED: readonly [string, Uint8Array, string, RegExp][] = [
  ['an empty file', new Uint8Array(), 'a.pdf', /^The file is empty\. Check the original/],
  ['blanks', bytes(' \n\t'), 'a.txt', /The file has no text/],
  ['a picture named .pdf', binary('\x89PNG\r\n\x1a\nxyz'), 'a.pdf', /is named a PDF, but its content is a PNG image/],
  ['a PDF named .txt', bytes('%PDF-1.7'), 'a.txt', /is named a text, but its content is a PDF/],
  ['text named .pdf', bytes('hello'), 'a.pdf', /is named a PDF, but it is plain text/],
  ['a torn archive', binary('PK\x03\x04'), 'a.docx', /damaged and can’t be unpacked/],
  [
    'a protected Word document',
    binary('\xd0\xcf\x11\xe0'),
    'a.docx',
    /is named a Word document, but its content is an old or a protected Office document/,
  ],
  ['noise', binary('\x00\x01\x02\x03'), 'a.md', /is damaged or isn’t what its name says/],
]
for (const [name, content, fileName, message] of REFUSED) {
  Deno.test(`rejects ${name} with advice`, () =>
    rejects(sniff(content, fileName), (error) => error instanceof Unreadable && message.test(error.message)))
}
