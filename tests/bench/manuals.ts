import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** The manuals that `asking` asks, by Debian package. */
const PACKAGES: readonly (readonly [name: string, files: string])[] = [
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

export type Manual = { readonly name: string; readonly type: string; read(): Uint8Array<ArrayBuffer> }

/** The manuals in a folder that has each package, unpacked (`dpkg-deb -x`), in a folder of its name. */
export function manualsIn(folder: string): Manual[] {
  return PACKAGES.flatMap(([name, files]) => {
    const paths = globSync(`${folder}/${name}/${files}`).sort()
    if (paths.length === 0) throw new Error(`${folder} lacks ${name}: apt-get download ${name}, dpkg-deb -x.`)
    return paths.map(manualAt)
  })
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
