import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'

export type Manual = { readonly name: string; readonly type: string; read(): Uint8Array<ArrayBuffer> }
type Package = readonly [name: string, files: string]

const ENGLISH: readonly Package[] = [
  ['git-doc', 'usr/share/doc/git-doc/*.txt'],
  ['manpages', 'usr/share/man/man{4,5,7}/*.gz'],
  ['debian-handbook', 'usr/share/doc/debian-handbook/html/en-US/*.html'],
  [
    'postgresql-doc-15',
    'usr/share/doc/postgresql-doc-15/html/{sql-*,runtime-config-*,backup*,routine-*,continuous-*}.html',
  ],
  ['linux-doc-6.1', 'usr/share/doc/linux-doc-6.1/html/admin-guide/**/*.html'],
  ['debian-policy', 'usr/share/doc/debian-policy/{policy.pdf.gz,fhs/fhs-3.0.pdf.gz}'],
  ['debian-reference-en', 'usr/share/debian-reference/*.pdf'],
  ['bash-doc', 'usr/share/doc/bash/bashref.pdf'],
]

const MIXED: Readonly<Record<string, readonly Package[]>> = {
  en: [
    ['manpages', 'usr/share/man/man{5,7}/*.gz'],
    [
      'manpages-dev',
      'usr/share/man/man2/{fork,open,close,dup,execve,wait,kill,pipe,mmap,mount,chmod,link,rename}.2.gz',
    ],
    ['debian-reference-en', 'usr/share/debian-reference/ch*.html'],
    ['debian-handbook', 'usr/share/doc/debian-handbook/html/en-US/[!s]*.html'],
  ],
  de: [
    ['manpages-de', 'usr/share/man/de/man{5,7}/*.gz'],
    ['debian-reference-de', 'usr/share/debian-reference/ch*.html'],
  ],
  fr: [
    ['manpages-fr', 'usr/share/man/fr/man{5,7}/*.gz'],
    ['debian-reference-fr', 'usr/share/debian-reference/ch*.html'],
    ['debian-handbook', 'usr/share/doc/debian-handbook/html/fr-FR/[!s]*.html'],
  ],
  es: [
    ['manpages-es', 'usr/share/man/es/man{5,7}/*.gz'],
    ['debian-reference-es', 'usr/share/debian-reference/ch*.html'],
    ['debian-handbook', 'usr/share/doc/debian-handbook/html/es-ES/[!s]*.html'],
  ],
  ja: [
    ['manpages-ja', 'usr/share/man/ja/man{5,7}/*.gz'],
    ['debian-reference-ja', 'usr/share/debian-reference/ch*.html'],
    ['debian-handbook', 'usr/share/doc/debian-handbook/html/ja-JP/[!s]*.html'],
  ],
}

/** Character tables, and pages that only one language has many of. */
const NO_TEXT = /^(iso|latin|koi|cp\d|armscii|tis|man[57]:|sane-|systemd|utf8|dpkg|deb-)/

export const englishManuals = (): Manual[] => ENGLISH.flatMap(filesOf)

export const mixedManuals = (): [language: string, manuals: Manual[]][] =>
  Object.entries(MIXED).map(([language, packages]) => [
    language,
    packages
      .flatMap(filesOf)
      .filter(({ name }) => !NO_TEXT.test(name))
      .map((manual) => ({ ...manual, name: `${language}-${manual.name}` })),
  ])

/** Downloads and unpacks a package's files on first use, into the folder MANUALS or a temporary one. None is part of
 *  this repository.
 *  @throws {Error} without Debian's programs. */
function filesOf([name, files]: Package): Manual[] {
  const folder = process.env.MANUALS ?? join(tmpdir(), 'carrel-manuals')
  const unpacked = join(folder, name)
  if (!existsSync(unpacked)) {
    mkdirSync(folder, { recursive: true })
    try {
      execFileSync('apt-get', ['download', '-q', name], { cwd: folder, stdio: 'ignore' })
      for (const archive of globSync(`${name}_*.deb`, { cwd: folder }))
        execFileSync('dpkg', ['-x', archive, unpacked], { cwd: folder })
    } catch {
      throw new Error(
        `The manuals are packages of Debian 12: run this where apt-get and dpkg work, or unpack ${name} to ${unpacked}.`,
      )
    }
  }
  return globSync(files, { cwd: unpacked })
    .sort()
    .map((path) => manualAt(join(unpacked, path)))
}

function manualAt(path: string): Manual {
  if (/\/man\d\//.test(path)) {
    const env = { ...process.env, MANWIDTH: '80', LC_ALL: 'C.UTF-8' }
    const read = () => new Uint8Array(execFileSync('man', ['-l', path], { env, stdio: ['ignore', 'pipe', 'ignore'] }))
    return { name: `${basename(path, '.gz')}.txt`, type: 'text/plain', read }
  }
  const name = basename(path, '.gz')
  const type = name.endsWith('.pdf') ? 'application/pdf' : name.endsWith('.html') ? 'text/html' : 'text/plain'
  return {
    name,
    type,
    read: () => new Uint8Array(path.endsWith('.gz') ? gunzipSync(readFileSync(path)) : readFileSync(path)),
  }
}
